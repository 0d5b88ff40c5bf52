/** Rows of refunds. They are written while their payment is locked. */
import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, idFromUuid, type Mode, uuidFromText, uuidOf } from '../../../../kernel/id.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { listRows } from '../../../../platform/db/list-rows.ts'
import type { Refunds } from '../../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import type { Failure, Payment } from '../payment.ts'
import type { Refund } from '../refund.ts'
import { lockPayment } from './payments.ts'

const columns = [
  'id',
  'payment_id',
  'status',
  'amount',
  'currency',
  'reason',
  'source',
  'provider_reference',
  'failure',
  'unresolved_since_at',
  'review',
  'metadata',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type RefundRow = Pick<Selectable<Refunds>, (typeof columns)[number]>

export type NewRefund = Pick<Refund, 'amount' | 'currency' | 'reason' | 'source' | 'metadata'>

export async function insertRefund(tx: Tx, paymentId: Id<'payment'>, refund: NewRefund): Promise<Refund> {
  const row = await tx.db
    .insertInto('refunds')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      payment_id: uuidOf(paymentId),
      id: uuidOf(tx.newId('refund')),
      status: 'pending',
      amount: refund.amount,
      currency: refund.currency,
      reason: refund.reason,
      source: refund.source,
      metadata: JSON.stringify(refund.metadata),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

export async function updateRefund(
  tx: Tx,
  before: Refund,
  changes: {
    readonly status?: Refund['status']
    readonly providerReference?: string
    readonly failure?: Failure
    readonly unresolvedSinceAt?: Date | null
    readonly review?: Refund['review']
  },
  emitsEvent: boolean,
): Promise<Refund> {
  const { failure } = changes
  const row = await tx.db
    .updateTable('refunds')
    .set({
      status: changes.status,
      provider_reference: changes.providerReference,
      failure: failure === undefined ? undefined : JSON.stringify(failure),
      unresolved_since_at: changes.unresolvedSinceAt,
      review: changes.review,
      version: before.version + 1,
      sequence: before.sequence + (emitsEvent ? 1 : 0),
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('payment_id', '=', uuidOf(before.paymentId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return fromRow(tx.caller.mode, row)
}

const missing = 'There is no such refund.'

export async function findRefund(view: View, text: string): Promise<Refund> {
  const uuid = uuidFromText('refund', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const row = await view.db
    .selectFrom('refunds')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
    .executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** Locks the payment of the refund, and returns both. */
export async function refundWithPayment(
  tx: Tx,
  text: string,
): Promise<{ readonly refund: Refund; readonly payment: Payment }> {
  const { paymentId } = await findRefund(tx, text)
  const payment = await lockPayment(tx, paymentId)
  return { refund: await findRefund(tx, text), payment }
}

/** The caller must have locked the payment. */
export async function refundOf(tx: Tx, paymentId: Id<'payment'>, id: Id<'refund'>): Promise<Refund> {
  const row = await tx.db
    .selectFrom('refunds')
    .select(columns)
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('payment_id', '=', uuidOf(paymentId))
    .where('id', '=', uuidOf(id))
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

/** All refunds of a payment, which are at most 100 plus those that were created at the provider. */
export async function refundsOf(view: View, paymentId: Id<'payment'>): Promise<Refund[]> {
  const rows = await view.db
    .selectFrom('refunds')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('payment_id', '=', uuidOf(paymentId))
    .orderBy('id')
    .execute()
  return rows.map((row) => fromRow(view.caller.mode, row))
}

export function listRefunds(view: View, range: IdRange, paymentUuid: string | null) {
  const payment = paymentUuid === null ? sql`` : sql`and payment_id = ${paymentUuid}::uuid`
  // A refund is on the test clock of its payment.
  const { excludesTestClocks, ...idRange } = range
  const testClockFilter = excludesTestClocks
    ? sql`and not exists (select from payments as payment where payment.workspace_id = refunds.workspace_id
        and payment.id = refunds.payment_id and payment.test_clock_id is not null)`
    : sql``
  return listRows(view, idRange, {
    table: 'refunds',
    columns,
    only: sql`${payment} ${testClockFilter}`,
    fromRow,
  })
}

function fromRow(mode: Mode, row: RefundRow): Refund {
  return {
    id: idFromUuid('refund', mode, row.id),
    paymentId: idFromUuid('payment', mode, row.payment_id),
    status: row.status as Refund['status'],
    amount: row.amount,
    currency: row.currency as Currency,
    reason: row.reason as Refund['reason'],
    source: row.source as Refund['source'],
    providerReference: row.provider_reference,
    failure: row.failure as Failure | null,
    unresolvedSinceAt: row.unresolved_since_at,
    review: row.review as Refund['review'],
    metadata: row.metadata as Refund['metadata'],
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}

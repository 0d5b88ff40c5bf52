/** Rows of attempts and operations. They are written while their payment is locked. */
import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { type Id, idFromUuid, idOrNull, type Mode, uuidOf, uuidOrNull } from '../../../../kernel/id.ts'
import { changeRow, insertRow } from '../../../../platform/db/row-statements.ts'
import type { Operations, PaymentAttempts } from '../../../../platform/db/tables.generated.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import type { Decline, Fault, OperationKind } from '../../../../providers/contract.ts'
import {
  type Attempt,
  type AttemptStatus,
  type Operation,
  type OperationStatus,
  openStatuses,
  type ReportedResult,
  type ReturnParams,
  type Trace,
} from '../payment.ts'

const attemptColumns = [
  'id',
  'payment_id',
  'number',
  'status',
  'provider_account_id',
  'provider_reference',
  'decline',
  'trace',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type AttemptRow = Pick<Selectable<PaymentAttempts>, (typeof attemptColumns)[number]>

const operationColumns = [
  'id',
  'payment_id',
  'attempt_id',
  'refund_id',
  'kind',
  'number',
  'reference',
  'status',
  'amount',
  'currency',
  'capture',
  'final',
  'provider_account_id',
  'provider_reference',
  'provider_customer',
  'request_hash',
  'lease_until',
  'complete_before_at',
  'checks',
  'fault',
  'decline',
  'reported',
  'challenged',
  'returns',
  'returned_at',
  'return_params',
  'resends',
  'due_at',
  'created_at',
  'version',
] as const
type OperationRow = Pick<Selectable<Operations>, (typeof operationColumns)[number]>

/** An attempt or operation in the version that was read. */
const rowOf = (tx: Tx, { id, paymentId, version }: Attempt | Operation) => ({
  workspace_id: uuidOf(tx.caller.workspaceId),
  payment_id: uuidOf(paymentId),
  id: uuidOf(id),
  version,
})

const isOpenRow = `status in (${openStatuses.map((status) => `'${status}'`).join(', ')})`

export function insertAttempt(
  tx: Tx,
  paymentId: Id<'payment'>,
  attempt: {
    readonly id: Id<'payment_attempt'>
    readonly number: number
    readonly providerAccountId: Id<'provider_account'>
    readonly trace: Trace
  },
): void {
  tx.write(
    insertRow('payment_attempts', {
      workspace_id: uuidOf(tx.caller.workspaceId),
      payment_id: uuidOf(paymentId),
      id: uuidOf(attempt.id),
      number: attempt.number,
      status: 'started',
      provider_account_id: uuidOf(attempt.providerAccountId),
      trace: JSON.stringify(attempt.trace),
      created_at: tx.now,
      updated_at: tx.now,
    }),
  )
}

export function updateAttempt(
  tx: Tx,
  before: Attempt,
  changes: {
    readonly status?: AttemptStatus
    readonly providerReference?: string | null
    readonly decline?: Decline
    readonly emitsEvent?: boolean
  },
): Attempt {
  const { emitsEvent = false, ...members } = changes
  const version = before.version + 1
  const sequence = before.sequence + (emitsEvent ? 1 : 0)
  tx.write(
    changeRow(
      'payment_attempts',
      {
        status: members.status,
        provider_reference: members.providerReference,
        decline: members.decline === undefined ? undefined : JSON.stringify(members.decline),
        version,
        sequence,
        updated_at: tx.now,
      },
      rowOf(tx, before),
    ),
  )
  return { ...before, ...members, version, sequence, updatedAt: tx.now }
}

export async function listAttempts(view: View, paymentId: Id<'payment'>): Promise<Attempt[]> {
  const { rows } = await sql<AttemptRow>`
    select ${sql.raw(attemptColumns.join(', '))} from payment_attempts
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and payment_id = ${uuidOf(paymentId)}
    order by number`.execute(view.db)
  return rows.map((row) => attemptFromRow(view.caller.mode, row))
}

export type NewOperation = Pick<
  Operation,
  | 'attemptId'
  | 'refundId'
  | 'kind'
  | 'number'
  | 'reference'
  | 'amount'
  | 'currency'
  | 'capture'
  | 'final'
  | 'providerAccountId'
> & { readonly leaseUntil: Date; readonly completeBeforeAt: Date | null; readonly resends?: number }

/**
 * The operation must be committed before the provider is called. The sender must not send after the
 * lease has expired.
 */
export function insertOperation(tx: Tx, paymentId: Id<'payment'>, operation: NewOperation): Operation {
  const id = tx.newId('operation')
  tx.write(
    insertRow('operations', {
      workspace_id: uuidOf(tx.caller.workspaceId),
      payment_id: uuidOf(paymentId),
      id: uuidOf(id),
      test_clock_id: uuidOrNull(tx.testClockId),
      attempt_id: uuidOf(operation.attemptId),
      refund_id: uuidOrNull(operation.refundId),
      kind: operation.kind,
      number: operation.number,
      reference: operation.reference,
      status: 'sending',
      amount: operation.amount,
      currency: operation.currency,
      capture: operation.capture,
      final: operation.final,
      provider_account_id: uuidOf(operation.providerAccountId),
      lease_until: operation.leaseUntil,
      complete_before_at: operation.completeBeforeAt,
      resends: operation.resends ?? 0,
      // If the sender crashes, the resolver continues when the lease has expired.
      due_at: operation.leaseUntil,
      created_at: tx.now,
      updated_at: tx.now,
    }),
  )
  tx.wake('payment.resolve', paymentId, operation.leaseUntil)
  const dueAt = operation.leaseUntil
  return { ...newOperation, ...operation, id, paymentId, dueAt, createdAt: tx.now }
}

/** The default values of the columns, which a new operation has. */
const newOperation = {
  status: 'sending',
  providerReference: null,
  providerCustomer: null,
  requestHash: null,
  checks: 0,
  fault: null,
  decline: null,
  reported: null,
  challenged: false,
  returns: 0,
  returnedAt: null,
  returnParams: null,
  resends: 0,
  version: 1,
} as const

export type OperationChanges = {
  readonly status?: OperationStatus
  readonly providerReference?: string | null
  readonly requestHash?: Buffer
  readonly leaseUntil?: Date
  readonly checks?: number
  readonly fault?: Fault
  readonly decline?: Decline
  readonly reported?: ReportedResult
  /** The amount that was actually authorized or captured, as confirmed by a person in a review. */
  readonly amount?: bigint
  readonly challenged?: boolean
  readonly returns?: number
  readonly returnedAt?: Date
  readonly returnParams?: ReturnParams | null
  readonly dueAt?: Date | null
  readonly completeBeforeAt?: Date
}

/** Fails if the operation has ended or was changed concurrently. */
export function updateOperation(tx: Tx, before: Operation, changes: OperationChanges): Operation {
  const { fault, decline, reported, returnParams } = changes
  const version = before.version + 1
  tx.write(
    changeRow(
      'operations',
      {
        status: changes.status,
        provider_reference: changes.providerReference,
        request_hash: changes.requestHash,
        lease_until: changes.leaseUntil,
        checks: changes.checks,
        fault: fault ? JSON.stringify(fault) : undefined,
        decline: decline ? JSON.stringify(decline) : undefined,
        reported: reported ? JSON.stringify(reported) : undefined,
        amount: changes.amount,
        challenged: changes.challenged,
        returns: changes.returns,
        returned_at: changes.returnedAt,
        return_params: returnParams ? JSON.stringify(returnParams) : returnParams,
        due_at: changes.dueAt,
        complete_before_at: changes.completeBeforeAt,
        version,
        updated_at: tx.now,
      },
      rowOf(tx, before),
      isOpenRow,
    ),
  )
  const after = { ...before, ...changes, version }
  tx.wake('payment.resolve', after.paymentId, after.dueAt)
  return after
}

/** Returns the stored customer, which another process may have stored first. */
export async function storeProviderCustomer(
  tx: Tx,
  operation: Pick<Operation, 'id' | 'paymentId'>,
  customer: string,
): Promise<string> {
  const row = await tx.db
    .updateTable('operations')
    .set({ provider_customer: sql<string>`coalesce(provider_customer, ${customer})` })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('payment_id', '=', uuidOf(operation.paymentId))
    .where('id', '=', uuidOf(operation.id))
    .returning('provider_customer')
    .executeTakeFirstOrThrow()
  return row.provider_customer ?? customer
}

export async function listOperations(view: View, paymentId: Id<'payment'>): Promise<Operation[]> {
  const { rows } = await sql<OperationRow>`
    select ${sql.raw(operationColumns.join(', '))} from operations
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and payment_id = ${uuidOf(paymentId)}
    order by number`.execute(view.db)
  return rows.map((row) => operationFromRow(view.caller.mode, row))
}

export async function hasOperation(
  view: View,
  paymentId: Id<'payment'>,
  reference: string,
): Promise<boolean> {
  const row = await view.db
    .selectFrom('operations')
    .select('id')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('payment_id', '=', uuidOf(paymentId))
    .where('reference', '=', reference)
    .executeTakeFirst()
  return row !== undefined
}

/** The payment of the operation with this provider reference. */
export async function findPaymentByReference(
  view: View,
  providerAccountId: Id<'provider_account'>,
  providerReference: string,
): Promise<Id<'payment'> | null> {
  const row = await view.db
    .selectFrom('operations')
    .select('payment_id')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('provider_reference', '=', providerReference)
    .where('provider_account_id', '=', uuidOf(providerAccountId))
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : idFromUuid('payment', view.caller.mode, row.payment_id)
}

function attemptFromRow(mode: Mode, row: AttemptRow): Attempt {
  return {
    id: idFromUuid('payment_attempt', mode, row.id),
    paymentId: idFromUuid('payment', mode, row.payment_id),
    number: row.number,
    status: row.status as AttemptStatus,
    providerAccountId: idFromUuid('provider_account', mode, row.provider_account_id),
    providerReference: row.provider_reference,
    decline: row.decline as Decline | null,
    trace: row.trace as Trace,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}

function operationFromRow(mode: Mode, row: OperationRow): Operation {
  return {
    id: idFromUuid('operation', mode, row.id),
    paymentId: idFromUuid('payment', mode, row.payment_id),
    attemptId: idFromUuid('payment_attempt', mode, row.attempt_id),
    refundId: idOrNull('refund', mode, row.refund_id),
    kind: row.kind as OperationKind,
    number: row.number,
    reference: row.reference,
    status: row.status as OperationStatus,
    amount: row.amount,
    currency: row.currency as Currency,
    capture: row.capture,
    final: row.final,
    providerAccountId: idFromUuid('provider_account', mode, row.provider_account_id),
    providerReference: row.provider_reference,
    providerCustomer: row.provider_customer,
    requestHash: row.request_hash,
    leaseUntil: row.lease_until,
    completeBeforeAt: row.complete_before_at,
    checks: row.checks,
    fault: row.fault as Fault | null,
    decline: row.decline as Decline | null,
    reported: row.reported as ReportedResult | null,
    challenged: row.challenged,
    returns: row.returns,
    returnedAt: row.returned_at,
    returnParams: row.return_params as ReturnParams | null,
    resends: row.resends,
    dueAt: row.due_at,
    createdAt: row.created_at,
    version: row.version,
  }
}

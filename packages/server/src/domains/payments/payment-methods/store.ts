import { type Selectable, sql } from 'kysely'
import type { DebitDetails } from '../../../kernel/debit-details.ts'
import { refuse } from '../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Kind,
  type Mode,
  uuidFromText,
  uuidOf,
} from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { listRows } from '../../../platform/db/list-rows.ts'
import type { PaymentMethods } from '../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import type { MethodType } from '../../../providers/contract.ts'
import type { Status } from './machine.ts'
import type {
  BillingDetails,
  DetachedReason,
  DisplayCard,
  PaymentMethod,
  Usage,
  VerifiedCard,
} from './payment-method.ts'
import {
  type CredentialRow,
  type CredentialWithTokenRow,
  credentialFromRow,
  credentialsColumn,
  credentialsWithTokensColumn,
  type SealedTokens,
  sealedTokensOf,
} from './store/credentials.ts'

/**
 * Columns by name, never `*`: a column added by a migration must not change the prepared statements of a
 * running process.
 */
const columns = [
  'id',
  'status',
  'type',
  'customer_id',
  'card',
  'debit',
  'fingerprint',
  'vault_card_id',
  'billing_details',
  'usage',
  'verified_by_payment_id',
  'verified_at',
  'provider_account_id',
  'network_transaction_id',
  'detached_reason',
  'metadata',
  'due_at',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type MethodRow = Pick<Selectable<PaymentMethods>, (typeof columns)[number]> & {
  /** Null if there are none, or they are read separately. */
  readonly credentials: readonly CredentialRow[] | null
}

export const missing = 'There is no such payment method.'
const missingReference = 'is not the id of an existing payment method'

export async function insertPaymentMethod(
  tx: Tx,
  verified: VerifiedCard,
  dueAt: Date,
): Promise<PaymentMethod> {
  const row = await tx.db
    .insertInto('payment_methods')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(tx.newId('payment_method')),
      status: 'authorized',
      type: verified.type,
      card: JSON.stringify(verified.card),
      debit: jsonOrNull(verified.debit),
      fingerprint: verified.fingerprint,
      vault_card_id: verified.vaultCardUuid,
      billing_details: jsonOrNull(verified.billingDetails),
      usage: verified.usage,
      verified_by_payment_id: uuidOf(verified.verifiedByPaymentId),
      verified_at: tx.now,
      provider_account_id: uuidOf(verified.providerAccountId),
      network_transaction_id: verified.networkTransactionId,
      metadata: JSON.stringify(verified.metadata),
      due_at: dueAt,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return scheduleExpiry(tx, fromRow(tx.caller.mode, { ...row, credentials: null }))
}

export type MethodChanges = Partial<
  Pick<
    PaymentMethod,
    | 'status'
    | 'customerId'
    | 'card'
    | 'debit'
    | 'billingDetails'
    | 'metadata'
    | 'vaultCardUuid'
    | 'detachedReason'
    | 'dueAt'
    | 'credentials'
  >
>

/**
 * Writes a change that emits an event: increments the version and the event sequence. Changed credentials are only part
 * of the result, because they have rows of their own (`credentials.ts`).
 */
export async function updatePaymentMethod(
  tx: Tx,
  before: PaymentMethod,
  changes: MethodChanges,
): Promise<PaymentMethod> {
  const { customerId, card, debit, billingDetails, metadata } = changes
  const row = await tx.db
    .updateTable('payment_methods')
    .set({
      status: changes.status,
      customer_id: customerId ? uuidOf(customerId) : undefined,
      card: card === undefined ? undefined : JSON.stringify(card),
      debit: debit === undefined ? undefined : jsonOrNull(debit),
      billing_details: billingDetails === undefined ? undefined : jsonOrNull(billingDetails),
      metadata: metadata === undefined ? undefined : JSON.stringify(metadata),
      vault_card_id: changes.vaultCardUuid,
      detached_reason: changes.detachedReason,
      due_at: changes.dueAt,
      attached_at: changes.status === 'attached' ? tx.now : undefined,
      version: before.version + 1,
      sequence: before.sequence + 1,
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  const { credentials = before.credentials } = changes
  return scheduleExpiry(tx, { ...fromRow(tx.caller.mode, { ...row, credentials: null }), credentials })
}

/** Called after every write, so that no service function can forget to schedule the work. */
function scheduleExpiry(tx: Tx, method: PaymentMethod): PaymentMethod {
  tx.wake('payment_method.expire', method.id, method.dueAt)
  return method
}

export async function findPaymentMethod(view: View, text: string): Promise<PaymentMethod> {
  const row = await selectById(view, text)?.executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** Locks the method, so that changes to one method are serialized. */
export async function lockPaymentMethod(tx: Tx, text: string): Promise<PaymentMethod> {
  const row = await selectById(tx, text)?.forUpdate().executeTakeFirst()
  return row ? withCurrentCredentials(tx, row) : refuse('not_found', { detail: missing })
}

/**
 * After waiting for a lock, a statement sees the new version of the locked row, but other tables as they were before
 * it waited. So the credentials are read after the lock.
 */
async function withCurrentCredentials(tx: Tx, row: MethodRow): Promise<PaymentMethod> {
  const current = await tx.db
    .selectFrom('payment_methods')
    .select(credentialsColumn)
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', row.id)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, { ...row, ...current })
}

/**
 * For a payment method id in a request. The method cannot change until the transaction ends, but other
 * transactions can use it concurrently.
 */
export async function requirePaymentMethod(tx: Tx, text: string): Promise<PaymentMethod> {
  const row = await selectById(tx, text)?.forShare().executeTakeFirst()
  return row ? fromRow(tx.caller.mode, row) : refuseReference()
}

function refuseReference(): never {
  const errors = [{ pointer: '/payment_method_id', code: 'not_found', detail: missingReference } as const]
  return refuse('reference_not_found', { errors })
}

/** Null if the text cannot be an id. */
function selectById(view: View, text: string) {
  const uuid = uuidFromText('payment_method', view.caller.mode, text)
  if (uuid === null) return null
  return view.db
    .selectFrom('payment_methods')
    .select(columns)
    .select(credentialsColumn)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

/** A payment method that is charged, with its encrypted tokens. */
export type ChargedMethod = { readonly method: PaymentMethod; readonly sealedTokens: SealedTokens }

export async function findChargedMethod(view: View, id: Id<'payment_method'>): Promise<ChargedMethod> {
  const row = await selectWithTokens(view, uuidOf(id)).executeTakeFirst()
  return row ? withTokens(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** Like `requirePaymentMethod`, with its encrypted tokens. */
export async function requireChargedMethod(tx: Tx, text: string): Promise<ChargedMethod> {
  const uuid = uuidFromText('payment_method', tx.caller.mode, text)
  const row = uuid === null ? undefined : await selectWithTokens(tx, uuid).forShare().executeTakeFirst()
  return row ? withTokens(tx.caller.mode, row) : refuseReference()
}

function selectWithTokens(view: View, uuid: string) {
  return view.db
    .selectFrom('payment_methods')
    .select(columns)
    .select(credentialsWithTokensColumn)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

function withTokens(
  mode: Mode,
  row: MethodRow & { readonly credentials: readonly CredentialWithTokenRow[] | null },
): ChargedMethod {
  return { method: fromRow(mode, row), sealedTokens: sealedTokensOf(mode, row.credentials ?? []) }
}

export async function lockAttachedMethods(tx: Tx, customerId: Id<'customer'>): Promise<PaymentMethod[]> {
  const rows = await tx.db
    .selectFrom('payment_methods')
    .select(columns)
    .select(credentialsColumn)
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('customer_id', '=', uuidOf(customerId))
    .where('status', '=', 'attached')
    .orderBy('id')
    .forUpdate()
    .execute()
  return Promise.all(rows.map((row) => withCurrentCredentials(tx, row)))
}

/** The attached methods of the customer, or all methods if `customerUuid` is null. */
export function listPaymentMethods(view: View, range: IdRange, customerUuid: string | null) {
  const filter =
    customerUuid === null ? sql`` : sql`and status = 'attached' and customer_id = ${customerUuid}::uuid`
  return listRows(view, range, {
    table: 'payment_methods',
    columns,
    computed: [credentialsColumn],
    only: filter,
    fromRow,
  })
}

const jsonOrNull = (value: object | null) => (value === null ? null : JSON.stringify(value))

function fromRow(mode: Mode, row: MethodRow): PaymentMethod {
  const id = <K extends Kind>(kind: K, uuid: string | null) => idOrNull(kind, mode, uuid)
  return {
    id: idFromUuid('payment_method', mode, row.id),
    credentials: (row.credentials ?? []).map((credential) => credentialFromRow(mode, credential)),
    status: row.status as Status,
    customerId: id('customer', row.customer_id),
    type: row.type as MethodType,
    card: row.card as DisplayCard,
    debit: row.debit as DebitDetails | null,
    fingerprint: row.fingerprint,
    vaultCardUuid: row.vault_card_id,
    billingDetails: row.billing_details as BillingDetails | null,
    usage: row.usage as Usage,
    verifiedByPaymentId: id('payment', row.verified_by_payment_id) as Id<'payment'>,
    verifiedAt: row.verified_at,
    providerAccountId: id('provider_account', row.provider_account_id) as Id<'provider_account'>,
    networkTransactionId: row.network_transaction_id,
    detachedReason: row.detached_reason as DetachedReason | null,
    metadata: row.metadata as PaymentMethod['metadata'],
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}

/**
 * The most recently attached payment method, except cards that payers saved on a payment page for their own
 * payments.
 */
export async function findDefaultMethod(
  view: View,
  customerId: Id<'customer'>,
): Promise<Id<'payment_method'> | null> {
  const row = await view.db
    .selectFrom('payment_methods')
    .select('id')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('customer_id', '=', uuidOf(customerId))
    .where('status', '=', 'attached')
    .where(
      sql<boolean>`(usage = 'off_session' or not exists (
        select from payments where payments.workspace_id = payment_methods.workspace_id
          and payments.id = payment_methods.verified_by_payment_id and payments.checkout_session_id is not null))`,
    )
    .orderBy(sql`coalesce(attached_at, created_at)`, 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : idFromUuid('payment_method', view.caller.mode, row.id)
}

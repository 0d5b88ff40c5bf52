/** Rows of payments. Whoever changes anything under a payment holds its row, and raises its version. */
import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../kernel/currency.ts'
import { refuse } from '../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Kind,
  type Mode,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../kernel/id.ts'
import type { Payments } from '../../../platform/db/tables.generated.ts'
import { OtherTime, Overtaken, type Tx, type View } from '../../../platform/db/unit-of-work.ts'
import {
  type Failure,
  type Intent,
  isDecided,
  isFinal,
  type NextAction,
  type Payment,
  type PaymentStatus,
  type ShownCard,
} from '../payment.ts'

export const columns = [
  ...(['id', 'status', 'purpose', 'amount', 'currency', 'amount_capturable', 'amount_captured'] as const),
  ...(['amount_refunding', 'amount_refunded', 'capture_method', 'initiator', 'three_d_secure'] as const),
  ...([
    'customer_id',
    'payment_method_id',
    'card',
    'fingerprint',
    'vault_card_id',
    'token_id',
    'invoice_id',
    'checkout_session_id',
    'payment_link_id',
    'save_payment_method',
    'usage',
  ] as const),
  ...(['payment_route_id', 'route_revision'] as const),
  ...(['provider_account_id', 'provider_reference', 'network_transaction_id', 'attempts_count'] as const),
  ...(['capture_before_at', 'expiring_told', 'return_url', 'next_action'] as const),
  ...(['unresolved_since_at', 'unresolved_told', 'sent'] as const),
  ...(['failure', 'last_error', 'cancel_requested_at', 'review', 'order_reference'] as const),
  ...(['statement_descriptor', 'description', 'billing_details', 'metadata', 'due_at'] as const),
  ...(['created_at', 'updated_at', 'version', 'sequence'] as const),
] as const
/** Only those who change a payment have to know whose time it lives in. */
const lockedColumns = [...columns, 'test_clock_id'] as const
export type PaymentRow = Pick<Selectable<Payments>, (typeof columns)[number]>

export const missing = 'There is no such payment.'

/** A payment with the account that is asked first, if there is one. */
export type NewPayment = Intent &
  Pick<Payment, 'id' | 'providerAccountId' | 'attemptsCount' | 'paymentRouteId' | 'routeRevision'>

export async function insertPayment(tx: Tx, payment: NewPayment): Promise<Payment> {
  const row = await tx.db
    .insertInto('payments')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(payment.id),
      test_clock_id: uuidOrNull(tx.testClockId),
      status: 'processing',
      provider_account_id: uuidOrNull(payment.providerAccountId),
      attempts_count: payment.attemptsCount,
      payment_route_id: uuidOrNull(payment.paymentRouteId),
      route_revision: payment.routeRevision,
      ...intentToRow(payment),
      created_at: tx.now,
      updated_at: tx.now,
    })
    .returning(columns)
    .executeTakeFirstOrThrow()
  return fromRow(tx.caller.mode, row)
}

/** What may change about a payment. */
export type PaymentChanges = Partial<
  Pick<
    Payment,
    | 'status'
    | 'amountCapturable'
    | 'amountCaptured'
    | 'amountRefunding'
    | 'amountRefunded'
    | 'providerAccountId'
    | 'providerReference'
    | 'networkTransactionId'
    | 'attemptsCount'
    | 'captureBeforeAt'
    | 'expiringTold'
    | 'nextAction'
    | 'unresolvedSinceAt'
    | 'unresolvedTold'
    | 'failure'
    | 'lastError'
    | 'cancelRequestedAt'
    | 'review'
    | 'description'
    | 'metadata'
    | 'sent'
    | 'paymentMethodId'
    | 'dueAt'
  >
>

/** `told`: an event tells of it. Bookkeeping is not told, and the database sees to it that it is no more than that. */
export async function updatePayment(
  tx: Tx,
  before: Payment,
  changes: PaymentChanges,
  told: boolean,
): Promise<Payment> {
  const row = await tx.db
    .updateTable('payments')
    .set({
      ...changesToRow(changes),
      version: before.version + 1,
      sequence: before.sequence + (told ? 1 : 0),
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new Overtaken(before.id)
  const after = fromRow(tx.caller.mode, row)
  tx.wake('payment.expire', after.id, after.dueAt)
  // Its invoice waits for it to end.
  if (after.invoiceId !== null && isFinal(after)) tx.wake('invoice.settle', after.invoiceId, tx.now)
  // Its session waits for that.
  if (after.checkoutSessionId !== null && isDecided(after))
    tx.wake('checkout_session.settle', after.checkoutSessionId, tx.now)
  return after
}

export async function findPayment(view: View, text: string): Promise<Payment> {
  const row = await byId(view, text, columns).executeTakeFirst()
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** One that lives on a test clock is held in the time of that clock alone. */
export async function lockPayment(tx: Tx, text: string): Promise<Payment> {
  const row = await byId(tx, text, lockedColumns).forUpdate().executeTakeFirst()
  if (row === undefined) return refuse('not_found', { detail: missing })
  if (row.test_clock_id !== null && tx.testClockId === null)
    throw new OtherTime(idFromUuid('test_clock', tx.caller.mode, row.test_clock_id))
  return fromRow(tx.caller.mode, row)
}

function byId<Column extends keyof Selectable<Payments>>(
  view: View,
  text: string,
  selected: readonly Column[],
) {
  const uuid = uuidFromText('payment', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('payments')
    .select(selected)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

/** One payment per order that is neither failed nor cancelled. */
export async function claimOrder(tx: Tx, orderReference: string, paymentId: Id<'payment'>): Promise<boolean> {
  const { rows } = await sql`
    insert into order_claims (workspace_id, order_reference, payment_id)
    values (${uuidOf(tx.caller.workspaceId)}, ${orderReference}, ${uuidOf(paymentId)})
    on conflict do nothing returning 1`.execute(tx.db)
  return rows.length === 1
}

export async function releaseOrder(tx: Tx, payment: Payment): Promise<void> {
  if (payment.orderReference === null) return
  await tx.db
    .deleteFrom('order_claims')
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('order_reference', '=', payment.orderReference)
    .where('payment_id', '=', uuidOf(payment.id))
    .execute()
}

function intentToRow(intent: Intent) {
  return {
    purpose: intent.purpose,
    amount: intent.amount,
    currency: intent.currency,
    capture_method: intent.captureMethod,
    initiator: intent.initiator,
    three_d_secure: intent.threeDSecure,
    customer_id: uuidOrNull(intent.customerId),
    payment_method_id: uuidOrNull(intent.paymentMethodId),
    card: JSON.stringify(intent.card),
    // People search by it.
    card_last4: intent.card.last4,
    fingerprint: intent.fingerprint,
    vault_card_id: intent.vaultCardUuid,
    token_id: uuidOrNull(intent.tokenId),
    invoice_id: uuidOrNull(intent.invoiceId),
    checkout_session_id: uuidOrNull(intent.checkoutSessionId),
    payment_link_id: uuidOrNull(intent.paymentLinkId),
    save_payment_method: intent.savePaymentMethod,
    usage: intent.usage,
    return_url: intent.returnUrl,
    order_reference: intent.orderReference,
    statement_descriptor: intent.statementDescriptor,
    description: intent.description,
    billing_details: jsonOrNull(intent.billingDetails),
    metadata: JSON.stringify(intent.metadata),
  }
}

/** Members that are left out stay as they are. */
function changesToRow(changes: PaymentChanges) {
  const { nextAction, failure, lastError, metadata, sent, providerAccountId, paymentMethodId } = changes
  return {
    status: changes.status,
    amount_capturable: changes.amountCapturable,
    amount_captured: changes.amountCaptured,
    amount_refunding: changes.amountRefunding,
    amount_refunded: changes.amountRefunded,
    provider_account_id: providerAccountId === undefined ? undefined : uuidOrNull(providerAccountId),
    payment_method_id: paymentMethodId === undefined ? undefined : uuidOrNull(paymentMethodId),
    provider_reference: changes.providerReference,
    network_transaction_id: changes.networkTransactionId,
    attempts_count: changes.attemptsCount,
    capture_before_at: changes.captureBeforeAt,
    expiring_told: changes.expiringTold,
    next_action: nextAction === undefined ? undefined : jsonOrNull(nextAction),
    unresolved_since_at: changes.unresolvedSinceAt,
    unresolved_told: changes.unresolvedTold,
    failure: failure === undefined ? undefined : jsonOrNull(failure),
    last_error: lastError === undefined ? undefined : jsonOrNull(lastError),
    cancel_requested_at: changes.cancelRequestedAt,
    review: changes.review,
    description: changes.description,
    metadata: metadata === undefined ? undefined : JSON.stringify(metadata),
    sent: sent ? JSON.stringify(sent) : undefined,
    due_at: changes.dueAt,
  }
}

const jsonOrNull = (value: object | null) => (value === null ? null : JSON.stringify(value))
export function fromRow(mode: Mode, row: PaymentRow): Payment {
  const id = <K extends Kind>(kind: K, uuid: string | null) => idOrNull(kind, mode, uuid)
  return {
    id: idFromUuid('payment', mode, row.id),
    status: row.status as PaymentStatus,
    purpose: row.purpose as Payment['purpose'],
    amount: row.amount,
    currency: row.currency as Currency,
    amountCapturable: row.amount_capturable,
    amountCaptured: row.amount_captured,
    amountRefunding: row.amount_refunding,
    amountRefunded: row.amount_refunded,
    captureMethod: row.capture_method as Payment['captureMethod'],
    initiator: row.initiator as Payment['initiator'],
    threeDSecure: row.three_d_secure as Payment['threeDSecure'],
    customerId: id('customer', row.customer_id),
    paymentMethodId: id('payment_method', row.payment_method_id),
    tokenId: id('token', row.token_id),
    invoiceId: id('invoice', row.invoice_id),
    checkoutSessionId: id('checkout_session', row.checkout_session_id),
    paymentLinkId: id('payment_link', row.payment_link_id),
    card: row.card as ShownCard,
    fingerprint: row.fingerprint,
    vaultCardUuid: row.vault_card_id,
    savePaymentMethod: row.save_payment_method,
    usage: row.usage as Payment['usage'],
    paymentRouteId: id('payment_route', row.payment_route_id),
    routeRevision: row.route_revision,
    providerAccountId: id('provider_account', row.provider_account_id),
    providerReference: row.provider_reference,
    networkTransactionId: row.network_transaction_id,
    attemptsCount: row.attempts_count,
    captureBeforeAt: row.capture_before_at,
    expiringTold: row.expiring_told,
    returnUrl: row.return_url,
    nextAction: row.next_action as NextAction | null,
    unresolvedSinceAt: row.unresolved_since_at,
    unresolvedTold: row.unresolved_told,
    failure: row.failure as Failure | null,
    lastError: row.last_error as Failure | null,
    cancelRequestedAt: row.cancel_requested_at,
    review: row.review as Payment['review'],
    sent: row.sent as Payment['sent'],
    orderReference: row.order_reference,
    statementDescriptor: row.statement_descriptor,
    description: row.description,
    billingDetails: row.billing_details as object | null,
    metadata: row.metadata as Payment['metadata'],
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}

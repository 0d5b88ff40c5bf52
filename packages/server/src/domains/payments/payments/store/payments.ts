/**
 * Rows of payments. Every change to a payment, its attempts or its operations locks the row of the payment.
 */
import { type Selectable, sql } from 'kysely'
import type { Currency } from '../../../../kernel/currency.ts'
import { refuse } from '../../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Kind,
  type Mode,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../../kernel/id.ts'
import { changeRow, insertRow } from '../../../../platform/db/row-statements.ts'
import type { Payments } from '../../../../platform/db/tables.generated.ts'
import { type FirstView, OnTestClock, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import {
  type DisplayCard,
  type Failure,
  hasOutcome,
  type Intent,
  isFinal,
  type NextAction,
  type Payment,
  type PaymentStatus,
  type Reversal,
  type Settlement,
} from '../payment.ts'

export const columns = [
  'id',
  'status',
  'purpose',
  'amount',
  'currency',
  'amount_capturable',
  'amount_captured',
  'amount_refunding',
  'amount_refunded',
  'amount_reversed',
  'amount_unapplied',
  'reversal',
  'settlement_status',
  'settlement_expected_at',
  'settled_at',
  'capture_method',
  'initiator',
  'three_d_secure',
  'customer_id',
  'payment_method_id',
  'method_type',
  'card',
  'debit',
  'fingerprint',
  'vault_card_id',
  'token_id',
  'invoice_id',
  'checkout_session_id',
  'payment_link_id',
  'save_payment_method',
  'usage',
  'payment_route_id',
  'route_revision',
  'provider_account_id',
  'provider_reference',
  'network_transaction_id',
  'attempts_count',
  'capture_before_at',
  'expiring_told',
  'return_url',
  'next_action',
  'unresolved_since_at',
  'unresolved_told',
  'sent',
  'failure',
  'last_error',
  'cancel_requested_at',
  'review',
  'order_reference',
  'statement_descriptor',
  'description',
  'billing_details',
  'device',
  'metadata',
  'due_at',
  'test_clock_id',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
export type PaymentRow = Pick<Selectable<Payments>, (typeof columns)[number]>

export const missing = 'There is no such payment.'

/** A new payment with the account that is tried first, if there is one. */
export type NewPayment = Intent &
  Pick<Payment, 'id' | 'providerAccountId' | 'attemptsCount' | 'paymentRouteId' | 'routeRevision'>

export function insertPayment(tx: Tx, payment: NewPayment): Payment {
  tx.write(
    insertRow('payments', {
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
    }),
  )
  const { now: createdAt, now: updatedAt, testClockId } = tx
  return { ...newPayment, ...payment, testClockId, createdAt, updatedAt }
}

/** The default values of the columns, which a new payment has. */
const newPayment = {
  status: 'processing',
  amountCapturable: 0n,
  amountCaptured: 0n,
  amountRefunding: 0n,
  amountRefunded: 0n,
  amountReversed: 0n,
  amountUnapplied: 0n,
  reversal: null,
  settlement: null,
  providerReference: null,
  networkTransactionId: null,
  captureBeforeAt: null,
  expiryWarningDone: false,
  nextAction: null,
  unresolvedSinceAt: null,
  unresolvedEmitted: false,
  failure: null,
  lastError: null,
  cancelRequestedAt: null,
  review: null,
  sentFields: null,
  dueAt: null,
  version: 1,
  sequence: 1,
} as const

/** The columns that may change. */
export type PaymentChanges = Partial<
  Pick<
    Payment,
    | 'status'
    | 'amountCapturable'
    | 'amountCaptured'
    | 'amountRefunding'
    | 'amountRefunded'
    | 'amountUnapplied'
    | 'amountReversed'
    | 'reversal'
    | 'settlement'
    | 'providerAccountId'
    | 'providerReference'
    | 'networkTransactionId'
    | 'attemptsCount'
    | 'captureBeforeAt'
    | 'expiryWarningDone'
    | 'nextAction'
    | 'unresolvedSinceAt'
    | 'unresolvedEmitted'
    | 'failure'
    | 'lastError'
    | 'cancelRequestedAt'
    | 'review'
    | 'customerId'
    | 'description'
    | 'metadata'
    | 'sentFields'
    | 'paymentMethodId'
    | 'dueAt'
  >
>

/**
 * For the `payment.expire` job. A settled debit is due only if it was returned, and then the `invoice.reopen`
 * job processes it.
 */
export const isNotSettled = sql`row.settled_at is null`

/**
 * `emitsEvent` says whether an event is emitted for the change. A database trigger lists the columns that may
 * change without an event.
 */
export function updatePayment(
  tx: Tx,
  before: Payment,
  changes: PaymentChanges,
  emitsEvent: boolean,
): Payment {
  const version = before.version + 1
  const sequence = before.sequence + (emitsEvent ? 1 : 0)
  tx.write(
    changeRow(
      'payments',
      { ...changesToRow(changes), version, sequence, updated_at: tx.now },
      { workspace_id: uuidOf(tx.caller.workspaceId), id: uuidOf(before.id), version: before.version },
    ),
  )
  const after = { ...withChanges(before, changes), version, sequence, updatedAt: tx.now }
  // A payment that the bank has returned is due until its invoice is open again.
  if (after.amountReversed > 0n && after.invoiceId !== null)
    tx.wake('invoice.reopen', after.invoiceId, after.dueAt)
  else tx.wake('payment.expire', after.id, after.dueAt)
  // The result of the payment is applied to its invoice when the payment is final.
  // The invoice of a checkout is created later, with its subscription.
  if (after.invoiceId !== null && after.checkoutSessionId === null && isFinal(after))
    tx.wake('invoice.settle', after.invoiceId, tx.now)
  // The result of the payment is applied to its checkout session when the outcome is known.
  if (after.checkoutSessionId !== null && hasOutcome(after))
    tx.wake('checkout_session.settle', after.checkoutSessionId, tx.now)
  return after
}

export async function paymentExists(view: View, id: Id<'payment'>): Promise<boolean> {
  const row = await view.db
    .selectFrom('payments')
    .select('id')
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuidOf(id))
    .executeTakeFirst()
  return row !== undefined
}

export async function findPayment(view: View, text: string): Promise<Payment> {
  const row = await findRow(view, text)
  return row ? fromRow(view.caller.mode, row) : refuse('not_found', { detail: missing })
}

/** Throws `OnTestClock` if the payment is on a test clock, but the transaction uses real time. */
export async function lockPayment(tx: FirstView, text: string): Promise<Payment> {
  const row = await findRow(tx, text, sql`for update`)
  if (row === undefined) return refuse('not_found', { detail: missing })
  if (row.test_clock_id !== null && tx.testClockId === null)
    throw new OnTestClock(idFromUuid('test_clock', tx.caller.mode, row.test_clock_id))
  return fromRow(tx.caller.mode, row)
}

async function findRow(view: View, text: string, lock = sql``): Promise<PaymentRow | undefined> {
  const uuid = uuidFromText('payment', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  const { rows } = await sql<PaymentRow>`
    select ${sql.raw(columns.join(', '))} from payments
    where workspace_id = ${uuidOf(view.caller.workspaceId)} and id = ${uuid} ${lock}`.execute(view.db)
  return rows[0]
}

/** Returns false if the order already has a payment that is neither failed nor cancelled. */
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
    method_type: intent.methodType,
    card: JSON.stringify(intent.card),
    debit: jsonOrNull(intent.debit),
    // Search needs the last four digits in a separate column.
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
    device: jsonOrNull(intent.device),
    metadata: JSON.stringify(intent.metadata),
  }
}

/** Omitted members stay unchanged. */
function changesToRow(changes: PaymentChanges) {
  const { nextAction, failure, lastError, metadata, sentFields, providerAccountId, paymentMethodId } = changes
  const { settlement, reversal } = changes
  return {
    ...(settlement === undefined ? {} : settlementToRow(settlement)),
    amount_reversed: changes.amountReversed,
    reversal: reversal === undefined ? undefined : jsonOrNull(reversal),
    status: changes.status,
    amount_capturable: changes.amountCapturable,
    amount_captured: changes.amountCaptured,
    amount_refunding: changes.amountRefunding,
    amount_refunded: changes.amountRefunded,
    amount_unapplied: changes.amountUnapplied,
    provider_account_id: providerAccountId === undefined ? undefined : uuidOrNull(providerAccountId),
    payment_method_id: paymentMethodId === undefined ? undefined : uuidOrNull(paymentMethodId),
    customer_id: changes.customerId === undefined ? undefined : uuidOrNull(changes.customerId),
    provider_reference: changes.providerReference,
    network_transaction_id: changes.networkTransactionId,
    attempts_count: changes.attemptsCount,
    capture_before_at: changes.captureBeforeAt,
    expiring_told: changes.expiryWarningDone,
    next_action: nextAction === undefined ? undefined : jsonOrNull(nextAction),
    unresolved_since_at: changes.unresolvedSinceAt,
    unresolved_told: changes.unresolvedEmitted,
    failure: failure === undefined ? undefined : jsonOrNull(failure),
    last_error: lastError === undefined ? undefined : jsonOrNull(lastError),
    cancel_requested_at: changes.cancelRequestedAt,
    review: changes.review,
    description: changes.description,
    metadata: metadata === undefined ? undefined : JSON.stringify(metadata),
    sent: sentFields ? JSON.stringify(sentFields) : undefined,
    // Data about the payer's browser is deleted with the outcome: no further attempt sends it.
    device: changes.status !== undefined && hasOutcome({ status: changes.status }) ? null : undefined,
    due_at: changes.dueAt,
  }
}

/** The payment as it is read after `changesToRow` is written. */
function withChanges(before: Payment, changes: PaymentChanges): Payment {
  const device = changes.status !== undefined && hasOutcome({ status: changes.status }) ? null : before.device
  const sentFields = changes.sentFields ?? before.sentFields
  return { ...before, ...changes, device, sentFields }
}

function settlementToRow(settlement: Settlement | null) {
  return {
    settlement_status: settlement?.status ?? null,
    settlement_expected_at: settlement?.expectedAt ?? null,
    settled_at: settlement?.settledAt ?? null,
  }
}

/** The columns that only debits use. */
function debitFields(row: PaymentRow) {
  return {
    methodType: row.method_type as Payment['methodType'],
    debit: row.debit as Payment['debit'],
    settlement: settlementOf(row),
    amountReversed: row.amount_reversed,
    reversal: row.reversal as Reversal | null,
  }
}

function settlementOf(row: PaymentRow): Settlement | null {
  if (row.settlement_status === null) return null
  const { settlement_expected_at: expectedAt, settled_at: settledAt } = row
  return { status: row.settlement_status as Settlement['status'], expectedAt, settledAt }
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
    amountUnapplied: row.amount_unapplied,
    ...debitFields(row),
    captureMethod: row.capture_method as Payment['captureMethod'],
    initiator: row.initiator as Payment['initiator'],
    threeDSecure: row.three_d_secure as Payment['threeDSecure'],
    customerId: id('customer', row.customer_id),
    paymentMethodId: id('payment_method', row.payment_method_id),
    tokenId: id('token', row.token_id),
    invoiceId: id('invoice', row.invoice_id),
    checkoutSessionId: id('checkout_session', row.checkout_session_id),
    paymentLinkId: id('payment_link', row.payment_link_id),
    card: row.card as DisplayCard,
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
    expiryWarningDone: row.expiring_told,
    returnUrl: row.return_url,
    nextAction: row.next_action as NextAction | null,
    unresolvedSinceAt: row.unresolved_since_at,
    unresolvedEmitted: row.unresolved_told,
    failure: row.failure as Failure | null,
    lastError: row.last_error as Failure | null,
    cancelRequestedAt: row.cancel_requested_at,
    review: row.review as Payment['review'],
    sentFields: row.sent as Payment['sentFields'],
    orderReference: row.order_reference,
    statementDescriptor: row.statement_descriptor,
    description: row.description,
    billingDetails: row.billing_details as object | null,
    device: row.device as Payment['device'],
    metadata: row.metadata as Payment['metadata'],
    dueAt: row.due_at,
    testClockId: id('test_clock', row.test_clock_id),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}

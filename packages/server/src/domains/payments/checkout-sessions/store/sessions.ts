/** Rows of checkout sessions. Changes lock the row, so that requests from two tabs are serialized. */
import { type Selectable, sql } from 'kysely'
import { assert } from '../../../../kernel/assert.ts'
import type {
  CheckoutMode,
  Collectable,
  CustomField,
  LineItem,
  OpenAmount,
  SaveMode,
  SubscriptionOptions,
} from '../../../../kernel/cart.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import { refuse } from '../../../../kernel/errors.ts'
import {
  type Id,
  idFromUuid,
  idOrNull,
  type Kind,
  uuidFromText,
  uuidOf,
  uuidOrNull,
} from '../../../../kernel/id.ts'
import { type IdRange, keysetOf, pageOf } from '../../../../platform/db/keyset.ts'
import type { CheckoutSessions } from '../../../../platform/db/tables.generated.ts'
import { ConcurrentChange, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import type { Status } from '../machine.ts'
import type { CheckoutSession, ConfirmationKey, NewSession, Payer, StoredOrder } from '../session.ts'

const columns = [
  'id',
  'mode',
  'payment_link_id',
  'invoice_id',
  'status',
  'currency',
  'amount',
  'open_amount',
  'line_items',
  'subscription',
  'discounts',
  'checkout_order',
  'subscription_id',
  'customer_id',
  'replaces_card',
  'card_subscription_id',
  'payment_route_id',
  'capture_method',
  'collect',
  'custom_fields',
  'shows_saved_methods',
  'save_method',
  'allows_promotion_codes',
  'discount_total',
  'success_url',
  'success_message',
  'cancel_url',
  'locale',
  'description',
  'metadata',
  'live_payment_id',
  'payment_id',
  'payment_method_id',
  'declines',
  'cards',
  'presses',
  'live_try_id',
  'payer',
  'receipt_sent_at',
  'payment_status',
  'completed_at',
  'expires_at',
  'due_at',
  'created_at',
  'updated_at',
  'version',
  'sequence',
] as const
type SessionRow = Pick<Selectable<CheckoutSessions>, (typeof columns)[number]>

const missing = 'There is no such checkout session.'

export async function insertSession(tx: Tx, session: NewSession): Promise<CheckoutSession> {
  const created = await insertSessionWithId(tx, tx.newId('checkout_session'), session)
  assert(created !== null, 'tx.newId returned an id that already exists.')
  return created
}

/** Inserts a session whose id the payer already has. Returns null if the session already exists. */
export async function insertSessionWithId(
  tx: Tx,
  id: Id<'checkout_session'>,
  session: NewSession,
): Promise<CheckoutSession | null> {
  const row = await tx.db
    .insertInto('checkout_sessions')
    .values({
      workspace_id: uuidOf(tx.caller.workspaceId),
      id: uuidOf(id),
      status: 'open',
      mode: session.mode,
      payment_link_id: uuidOrNull(session.paymentLinkId),
      invoice_id: uuidOrNull(session.invoiceId),
      currency: session.currency,
      amount: session.amount,
      open_amount: jsonOrNull(session.openAmount),
      line_items: jsonOrNull(session.lineItems),
      subscription: jsonOrNull(session.subscription),
      discounts: jsonOfDiscounts(session.discounts),
      customer_id: uuidOrNull(session.customerId),
      replaces_card: session.cardUpdate !== null,
      card_subscription_id: uuidOrNull(session.cardUpdate?.subscriptionId ?? null),
      payment_route_id: uuidOrNull(session.paymentRouteId),
      capture_method: session.captureMethod,
      collect: JSON.stringify(session.collect),
      custom_fields: JSON.stringify(session.customFields),
      shows_saved_methods: session.savedMethods.show,
      save_method: session.savedMethods.save,
      allows_promotion_codes: session.allowPromotionCodes,
      success_url: session.successUrl,
      success_message: session.successMessage,
      cancel_url: session.cancelUrl,
      locale: session.locale,
      description: session.description,
      metadata: JSON.stringify(session.metadata),
      expires_at: session.expiresAt,
      due_at: session.expiresAt,
      created_at: tx.now,
      updated_at: tx.now,
    })
    .onConflict((conflict) => conflict.columns(['workspace_id', 'id']).doNothing())
    .returning(columns)
    .executeTakeFirst()
  return row === undefined ? null : scheduleWork(tx, fromRow(tx, row))
}

export type SessionChanges = Partial<
  Pick<
    CheckoutSession,
    | 'status'
    | 'amount'
    | 'lineItems'
    | 'order'
    | 'discounts'
    | 'discountTotal'
    | 'subscriptionId'
    | 'pendingPaymentId'
    | 'paymentId'
    | 'customerId'
    | 'paymentMethodId'
    | 'declines'
    | 'cards'
    | 'confirmationKeys'
    | 'pendingTryId'
    | 'payer'
    | 'paymentStatus'
    | 'completedAt'
    | 'dueAt'
  >
>

/**
 * `emitsEvent` is false if a payment starts, or the session becomes open again. A database trigger lists the columns that may change without an event.
 */
export async function updateSession(
  tx: Tx,
  before: CheckoutSession,
  changes: SessionChanges,
  emitsEvent: boolean,
): Promise<CheckoutSession> {
  const row = await tx.db
    .updateTable('checkout_sessions')
    .set({
      ...changesToRow(changes),
      version: before.version + 1,
      sequence: before.sequence + (emitsEvent ? 1 : 0),
      updated_at: tx.now,
    })
    .where('workspace_id', '=', uuidOf(tx.caller.workspaceId))
    .where('id', '=', uuidOf(before.id))
    .where('version', '=', before.version)
    .returning(columns)
    .executeTakeFirst()
  if (row === undefined) throw new ConcurrentChange(before.id)
  return scheduleWork(tx, fromRow(tx, row))
}

/** Called after every write, so that no service function can forget to schedule the work. */
function scheduleWork(tx: Tx, session: CheckoutSession): CheckoutSession {
  tx.wake('checkout_session.expire', session.id, session.dueAt)
  return session
}

export async function findSession(view: View, text: string): Promise<CheckoutSession> {
  return (await findSessionOrNull(view, text)) ?? refuseMissing()
}

export async function findSessionOrNull(view: View, text: string): Promise<CheckoutSession | null> {
  const row = await selectById(view, text).executeTakeFirst()
  return row ? fromRow(view, row) : null
}

export async function lockSession(tx: Tx, text: string): Promise<CheckoutSession> {
  return (await lockSessionOrNull(tx, text)) ?? refuseMissing()
}

export async function lockSessionOrNull(tx: Tx, text: string): Promise<CheckoutSession | null> {
  const row = await selectById(tx, text).forUpdate().executeTakeFirst()
  return row ? fromRow(tx, row) : null
}

export function refuseMissing(): never {
  return refuse('not_found', { detail: missing })
}

function selectById(view: View, text: string) {
  const uuid =
    uuidFromText('checkout_session', view.caller.mode, text) ?? refuse('not_found', { detail: missing })
  return view.db
    .selectFrom('checkout_sessions')
    .select(columns)
    .where('workspace_id', '=', uuidOf(view.caller.workspaceId))
    .where('id', '=', uuid)
}

export async function listSessions(view: View, range: IdRange, linkUuid: string | null) {
  const link = linkUuid === null ? sql`` : sql`and payment_link_id = ${linkUuid}`
  const { rows } = await sql<SessionRow>`
    select ${sql.join(columns.map((column) => sql.ref(column)))} from checkout_sessions
    where workspace_id = ${uuidOf(view.caller.workspaceId)} ${link} ${keysetOf(range)}`.execute(view.db)
  return pageOf(
    rows.map((row) => fromRow(view, row)),
    range,
  )
}

const jsonOrNull = (value: object | null) => (value === null ? null : JSON.stringify(value))
const jsonOfDiscounts = (discounts: CheckoutSession['discounts']) =>
  discounts.length === 0 ? null : JSON.stringify(discounts)
const uuidIfSent = (id: Id<Kind> | null | undefined) => (id === undefined ? undefined : uuidOrNull(id))

/** Omitted members stay unchanged. */
function changesToRow(changes: SessionChanges) {
  const { cards, confirmationKeys, payer, lineItems, order, discounts } = changes
  return {
    status: changes.status,
    amount: changes.amount,
    line_items: lineItems === undefined ? undefined : jsonOrNull(lineItems),
    discounts: discounts === undefined ? undefined : jsonOfDiscounts(discounts),
    discount_total: changes.discountTotal,
    checkout_order: order === undefined ? undefined : jsonOrNull(order),
    subscription_id: uuidIfSent(changes.subscriptionId),
    live_payment_id: uuidIfSent(changes.pendingPaymentId),
    payment_id: uuidIfSent(changes.paymentId),
    customer_id: uuidIfSent(changes.customerId),
    payment_method_id: uuidIfSent(changes.paymentMethodId),
    live_try_id: uuidIfSent(changes.pendingTryId),
    declines: changes.declines,
    cards: cards === undefined ? undefined : JSON.stringify(cards),
    presses: confirmationKeys === undefined ? undefined : JSON.stringify(confirmationKeys),
    payer: payer === undefined ? undefined : jsonOrNull(payer),
    payment_status: changes.paymentStatus,
    completed_at: changes.completedAt,
    due_at: changes.dueAt,
  }
}

/** Times are text in JSON documents. */
function orderFrom(value: unknown): StoredOrder | null {
  const order = value as StoredOrder | null
  return order === null ? null : { ...order, at: new Date(order.at) }
}

function fromRow({ caller }: View, row: SessionRow): CheckoutSession {
  const id = <K extends Kind>(kind: K, uuid: string | null) => idOrNull(kind, caller.mode, uuid)
  return {
    id: idFromUuid('checkout_session', caller.mode, row.id),
    workspaceId: caller.workspaceId,
    paymentLinkId: id('payment_link', row.payment_link_id),
    invoiceId: id('invoice', row.invoice_id),
    status: row.status as Status,
    mode: row.mode as CheckoutMode,
    currency: row.currency as Currency,
    amount: row.amount,
    openAmount: row.open_amount as OpenAmount | null,
    lineItems: row.line_items as LineItem[] | null,
    subscription: row.subscription as SubscriptionOptions | null,
    discounts: (row.discounts as CheckoutSession['discounts'] | null) ?? [],
    discountTotal: row.discount_total,
    order: orderFrom(row.checkout_order),
    subscriptionId: id('subscription', row.subscription_id),
    customerId: id('customer', row.customer_id),
    cardUpdate: row.replaces_card ? { subscriptionId: id('subscription', row.card_subscription_id) } : null,
    paymentRouteId: id('payment_route', row.payment_route_id),
    captureMethod: row.capture_method as CheckoutSession['captureMethod'],
    collect: row.collect as Collectable[],
    customFields: row.custom_fields as CustomField[],
    savedMethods: { show: row.shows_saved_methods, save: row.save_method as SaveMode },
    allowPromotionCodes: row.allows_promotion_codes,
    successUrl: row.success_url,
    successMessage: row.success_message,
    cancelUrl: row.cancel_url,
    locale: row.locale,
    description: row.description,
    metadata: row.metadata as CheckoutSession['metadata'],
    pendingPaymentId: id('payment', row.live_payment_id),
    paymentId: id('payment', row.payment_id),
    paymentMethodId: id('payment_method', row.payment_method_id),
    declines: row.declines,
    cards: row.cards as string[],
    confirmationKeys: row.presses as ConfirmationKey[],
    pendingTryId: id('checkout_try', row.live_try_id),
    payer: row.payer as Payer | null,
    receiptSentAt: row.receipt_sent_at,
    paymentStatus: row.payment_status as CheckoutSession['paymentStatus'],
    completedAt: row.completed_at,
    expiresAt: row.expires_at,
    dueAt: row.due_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    version: row.version,
    sequence: row.sequence,
  }
}

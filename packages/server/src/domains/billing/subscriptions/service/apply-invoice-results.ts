/**
 * Applies the results of invoices to their subscriptions. Payments run independently of the subscription, so
 * their results are applied afterwards.
 */
import type { Deps } from '../../../../deps.ts'
import { wholeSecond } from '../../../../kernel/calendar.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Id, Ref } from '../../../../kernel/id.ts'
import { type Tx, transact, type View } from '../../../../platform/db/unit-of-work.ts'
import { acknowledgeResults, findInvoice, type Invoice, lockInvoicesOf } from '../../invoices/service.ts'
import { collectionOf } from '../collection.ts'
import { nextDue } from '../plan/due.ts'
import { type ExternalEvent, planExternalEvent } from '../plan/plan.ts'
import { concatPlans, emptyPlan, type Plan, type PlanContext, snapshotAfter } from '../plan/snapshot.ts'
import { listPendingResultIds } from '../store/invoice-facts.ts'
import { lockSubscription, updateSubscriptions } from '../store/subscriptions.ts'
import { type Decline, isActivating, type Subscription } from '../subscription.ts'
import { idFactoryOf, type LoadedSnapshot, loadSnapshot } from './load-snapshot.ts'
import { sendPayment } from './send.ts'
import { type PaymentToSend, returnUnusedTime, storePlans } from './store-plans.ts'

/** Worker: an invoice was paid, declined, voided or marked uncollectible. */
export async function processInvoiceResults(deps: Deps, ref: Ref<'subscription'>): Promise<void> {
  const { paymentsToSend } = await transact(deps, systemCaller(ref), async (tx) =>
    applyInvoiceResults(tx, await lockSubscription(tx, ref.id)),
  )
  for (const paymentToSend of paymentsToSend) await sendPayment(deps, paymentToSend)
}

export type AppliedResults = {
  readonly snapshot: LoadedSnapshot
  readonly paymentsToSend: readonly PaymentToSend[]
}

/**
 * Locks the invoices of subscriptions that the caller has locked, before they are read. Otherwise a payment
 * could start or end between read and write, and a pause could drop a period that is being paid.
 */
export function lockInvoices(tx: Tx, subscriptions: readonly Subscription[]): Promise<Invoice[]> {
  return lockInvoicesOf(
    tx,
    subscriptions.map(({ id }) => id),
    subscriptions.flatMap(({ currentPeriod }) => currentPeriod?.invoiceId ?? []),
  )
}

/**
 * Applies all pending invoice results. The caller holds the lock on the subscription; its invoices are locked
 * here.
 */
export async function applyInvoiceResults(tx: Tx, subscription: Subscription): Promise<AppliedResults> {
  return applyLockedResults(tx, subscription, await lockInvoices(tx, [subscription]))
}

/** Applies the pending results of invoices that the caller has locked. */
export async function applyLockedResults(
  tx: Tx,
  subscription: Subscription,
  locked: readonly Invoice[],
): Promise<AppliedResults> {
  const invoices = locked.filter(
    (invoice) => hasPendingResult(invoice) && invoice.subscriptionId === subscription.id,
  )
  const snapshot = await loadSnapshot(tx, subscription)
  if (invoices.length === 0) return { snapshot, paymentsToSend: [] }
  const context = { at: wholeSecond(tx.now), now: tx.now, ids: idFactoryOf(tx) }
  const plan = planInvoiceResults(snapshot, invoices, context)
  await acknowledgeResults(tx, invoices)
  const [after] = await storePlans(tx, [{ snapshot, plan }])
  await updateNextAction(tx, snapshot, after as Subscription)
  const paymentsToSend = await returnUnusedTime(
    tx,
    invoices.filter(({ status }) => status === 'paid'),
  )
  return { snapshot: await loadSnapshot(tx, await lockSubscription(tx, subscription.id)), paymentsToSend }
}

/** The next due time may have changed even if no event is emitted. */
async function updateNextAction(
  tx: Tx,
  { subscription: before }: LoadedSnapshot,
  after: Subscription,
): Promise<void> {
  if (after.version !== before.version) return
  const nextActionAt = nextDue(await loadSnapshot(tx, after))?.at ?? null
  if (nextActionAt?.getTime() === after.nextActionAt?.getTime()) return
  await updateSubscriptions(tx, [{ before: after, after: { ...after, nextActionAt }, emitsEvent: false }])
}

export const hasPendingResult = ({ subscriptionDueAt }: Invoice) => subscriptionDueAt !== null

export async function invoicesWithPendingResults(view: View, id: Id<'subscription'>): Promise<Invoice[]> {
  const invoices: Invoice[] = []
  for (const invoiceId of await listPendingResultIds(view, id))
    invoices.push(await findInvoice(view, invoiceId))
  return invoices
}

/** Plans the invoice results one after the other, and then the collection status. */
export function planInvoiceResults(
  snapshot: LoadedSnapshot,
  invoices: readonly Invoice[],
  context: PlanContext,
): Plan {
  let plan: Plan = emptyPlan
  const apply = (event: ExternalEvent) => {
    plan = concatPlans(plan, planExternalEvent(snapshotAfter(snapshot, plan), event, context))
  }
  for (const invoice of invoices) {
    const event = externalEventOf(snapshotAfter(snapshot, plan).subscription, invoice)
    if (event !== null) apply(event)
  }
  const { subscription } = snapshotAfter(snapshot, plan)
  const { status } = collectionOf(snapshot.owed, subscription.dunning)
  if (subscription.status !== 'cancelled') apply({ kind: 'collection', status })
  return plan
}

function externalEventOf(subscription: Subscription, invoice: Invoice): ExternalEvent | null {
  const isActivationInvoice = subscription.activation?.invoiceId === invoice.id
  const isAwaited = isActivationInvoice && isActivating(subscription)
  if (invoice.status === 'paid') return isAwaited ? { kind: 'paid' } : { kind: 'overdue_settled' }
  if (!isAwaited) return null
  // An uncollectible invoice can still be paid. The outcome of the payment in progress will be another
  // result.
  if (invoice.status === 'uncollectible' && invoice.pendingPaymentId !== null) return null
  if (invoice.status === 'void' || invoice.status === 'uncollectible') return { kind: 'activation_voided' }
  if (invoice.pendingPaymentId !== null)
    return { kind: 'declined', paymentId: invoice.pendingPaymentId, decline: null }
  return invoice.lastFailure === null ? null : { kind: 'declined', ...declineOf(invoice.lastFailure) }
}

function declineOf(failure: NonNullable<Invoice['lastFailure']>): {
  readonly paymentId: Id<'payment'> | null
  readonly decline: Decline
} {
  const { code, advice_code: adviceCode, message, payment_id: paymentId } = failure
  return { paymentId: paymentId as Id<'payment'> | null, decline: { code, adviceCode, message } }
}

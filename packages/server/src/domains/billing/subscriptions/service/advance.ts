/**
 * Runs the automatic actions of subscriptions: one at a time for each subscription, many subscriptions per
 * transaction.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { nextDue } from '../plan/due.ts'
import { planAdvance } from '../plan/plan.ts'
import { lockSubscription, lockSubscriptions, updateSubscriptions } from '../store/subscriptions.ts'
import type { Subscription } from '../subscription.ts'
import { applyLockedResults, hasPendingResult, lockInvoices } from './apply-invoice-results.ts'
import { idFactoryOf, type LoadedSnapshot, loadSnapshots } from './load-snapshot.ts'
import { sendPayment } from './send.ts'
import { type PaymentToSend, type PlannedChange, refundUnusedTime, storePlans } from './store-plans.ts'

/** Worker: an automatic action is due. A late or duplicate message finds nothing to do. */
export async function advanceSubscription(deps: Deps, ref: Ref<'subscription'>): Promise<void> {
  const paymentsToSend = await transact(deps, systemCaller(ref), async (tx) =>
    advance(tx, [await lockSubscription(tx, ref.id)]),
  )
  for (const paymentToSend of paymentsToSend) await sendPayment(deps, paymentToSend)
}

/**
 * Advances many subscriptions of one workspace in one transaction. If it fails, each is handled separately.
 */
export async function advanceSubscriptions(deps: Deps, refs: readonly Ref<'subscription'>[]): Promise<void> {
  const [first] = refs
  if (first === undefined) return
  const paymentsToSend = await transact(deps, systemCaller(first), async (tx) =>
    advance(
      tx,
      await lockSubscriptions(
        tx,
        refs.map(({ id }) => id),
      ),
    ),
  )
  for (const paymentToSend of paymentsToSend) await sendPayment(deps, paymentToSend)
}

async function advance(tx: Tx, locked: readonly Subscription[]): Promise<PaymentToSend[]> {
  const due = locked.filter(({ nextActionAt }) => nextActionAt !== null && nextActionAt <= tx.now)
  const paymentsToSend: PaymentToSend[] = []
  const snapshots = [
    ...(await loadSnapshots(tx, due.filter(onlyRenews))),
    ...(await applyResultsFirst(
      tx,
      due.filter((subscription) => !onlyRenews(subscription)),
      paymentsToSend,
    )),
  ]
  const planned = snapshots.map((snapshot) => planFor(tx, snapshot))
  await storePlans(
    tx,
    planned.filter(({ plan }) => plan.steps.length > 0),
  )
  await rescheduleIdle(
    tx,
    planned.filter(({ plan }) => plan.steps.length === 0),
  )
  for (const change of planned) paymentsToSend.push(...(await refundUnusedTime(tx, change)))
  return paymentsToSend
}

/**
 * A renewal does not depend on the results of earlier invoices. There are many renewals, so invoices are not
 * locked for them.
 */
function onlyRenews({ status, scheduledChange }: Subscription): boolean {
  return status === 'active' && scheduledChange === null
}

/** Other actions depend on payments: invoices are locked, and their results applied, before planning. */
async function applyResultsFirst(
  tx: Tx,
  subscriptions: readonly Subscription[],
  paymentsToSend: PaymentToSend[],
): Promise<LoadedSnapshot[]> {
  const invoices = subscriptions.length === 0 ? [] : await lockInvoices(tx, subscriptions)
  const idsWithResults = new Set(
    invoices.filter(hasPendingResult).map(({ subscriptionId }) => subscriptionId),
  )
  const snapshots = await loadSnapshots(
    tx,
    subscriptions.filter(({ id }) => !idsWithResults.has(id)),
  )
  for (const subscription of subscriptions.filter(({ id }) => idsWithResults.has(id))) {
    const applied = await applyLockedResults(tx, subscription, invoices)
    paymentsToSend.push(...applied.paymentsToSend)
    snapshots.push(applied.snapshot)
  }
  return snapshots
}

function planFor(tx: Tx, snapshot: LoadedSnapshot): PlannedChange {
  return { snapshot, plan: planAdvance(snapshot, { at: tx.now, now: tx.now, ids: idFactoryOf(tx) }) }
}

/**
 * Nothing is due after all, because the action awaits a payment. The due time is computed again when the result of
 * the payment is applied.
 */
async function rescheduleIdle(tx: Tx, idle: readonly PlannedChange[]): Promise<void> {
  await updateSubscriptions(
    tx,
    idle.map(({ snapshot }) => {
      const before = snapshot.subscription
      return { before, after: { ...before, nextActionAt: nextDue(snapshot)?.at ?? null }, emitsEvent: false }
    }),
  )
}

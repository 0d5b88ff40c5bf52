/** The functions that dunning campaigns call in their own transaction. */
import { isDeepStrictEqual } from 'node:util'
import { wholeSecond } from '../../../kernel/calendar.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { collectionOf } from './collection.ts'
import { planExternalEvent } from './plan/plan.ts'
import { concatPlans, type Plan, snapshotAfter, withEvent } from './plan/snapshot.ts'
import { applyInvoiceResults } from './service/apply-invoice-results.ts'
import { idFactoryOf, type LoadedSnapshot, loadSnapshot } from './service/load-snapshot.ts'
import { storePlans } from './service/store-plans.ts'
import * as store from './store/subscriptions.ts'
import type { Dunning, Subscription } from './subscription.ts'

export type { Dunning, Subscription } from './subscription.ts'

/** Lock order: the subscription first, then its invoices and campaigns. */
export function lockSubscription(tx: Tx, id: Id<'subscription'>): Promise<Subscription> {
  return store.lockSubscription(tx, id)
}

/**
 * Stores the state of the dunning campaign, or null if no campaign runs. The state determines access, and
 * contains the final action.
 */
export async function storeDunning(tx: Tx, id: Id<'subscription'>, dunning: Dunning | null): Promise<void> {
  const snapshot = await loadSnapshot(tx, await store.lockSubscription(tx, id))
  if (
    snapshot.subscription.status === 'cancelled' ||
    isDeepStrictEqual(snapshot.subscription.dunning, dunning)
  )
    return
  await storePlans(tx, [{ snapshot, plan: planDunningUpdate(tx, snapshot, dunning) }])
}

/** Dunning is exhausted: applies the final action of the policy, in the caller’s transaction. */
export async function exhaustDunning(
  tx: Tx,
  id: Id<'subscription'>,
  finalAction: 'pause' | 'cancel' | 'mark_unpaid' | 'keep',
): Promise<void> {
  const { snapshot } = await applyInvoiceResults(tx, await store.lockSubscription(tx, id))
  if (snapshot.subscription.status === 'cancelled') return
  const context = { at: wholeSecond(tx.now), now: tx.now, ids: idFactoryOf(tx) }
  const dunningPlan = planDunningUpdate(tx, snapshot, {
    hasGivenUp: true,
    hasGrace: false,
    finalAction,
    finalActionAt: tx.now,
  })
  const action = finalAction === 'mark_unpaid' ? 'keep' : finalAction
  const afterDunning = snapshotAfter(snapshot, dunningPlan)
  const finalActionPlan = planExternalEvent(
    afterDunning,
    { kind: 'dunning_exhausted', finalAction: action },
    context,
  )
  await storePlans(tx, [{ snapshot, plan: concatPlans(dunningPlan, finalActionPlan) }])
}

/**
 * The dunning state can change the collection status, which has its own event; otherwise `updated` is
 * emitted.
 */
function planDunningUpdate(tx: Tx, snapshot: LoadedSnapshot, dunning: Dunning | null): Plan {
  const context = { at: wholeSecond(tx.now), now: tx.now, ids: idFactoryOf(tx) }
  const updated = { ...snapshot, subscription: { ...snapshot.subscription, dunning } }
  const { status } = collectionOf(snapshot.owed, dunning)
  const plan = planExternalEvent(updated, { kind: 'collection', status }, context)
  return plan.steps.length > 0 ? plan : { ...plan, ...withEvent('updated', updated.subscription) }
}

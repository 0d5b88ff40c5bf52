/** What those above need of subscriptions, in their own unit of work: campaigns look at them, and say how they ended. */
import { isDeepStrictEqual } from 'node:util'
import { wholeSecond } from '../../kernel/calendar.ts'
import type { Id } from '../../kernel/id.ts'
import type { Tx } from '../../platform/db/unit-of-work.ts'
import { collectionOf } from './collection.ts'
import { planNews } from './plan/plan.ts'
import { joined, type Plan, sceneAfter, told } from './plan/scene.ts'
import { carryOut } from './service/carry-out.ts'
import { drawIn, type Seen, see } from './service/scene.ts'
import * as store from './store/subscriptions.ts'
import type { Dunning, Subscription } from './subscription.ts'

export type { Dunning, Subscription } from './subscription.ts'

/** Whoever changes a subscription, its invoices or its campaigns in one unit holds it first, then those. */
export function lockSubscription(tx: Tx, id: Id<'subscription'>): Promise<Subscription> {
  return store.lockSubscription(tx, id)
}

/** A campaign runs, or none does any more: whether access is granted meanwhile, and what comes in the end. */
export async function noteDunning(tx: Tx, id: Id<'subscription'>, dunning: Dunning | null): Promise<void> {
  const seen = await see(tx, await store.lockSubscription(tx, id))
  if (seen.subscription.status === 'cancelled' || isDeepStrictEqual(seen.subscription.dunning, dunning))
    return
  await carryOut(tx, [{ seen, plan: planDunning(tx, seen, dunning) }])
}

/** Collecting was given up. What the policy says happens to the subscription, in the caller's unit. */
export async function exhaustDunning(
  tx: Tx,
  id: Id<'subscription'>,
  finalAction: 'pause' | 'cancel' | 'mark_unpaid' | 'keep',
): Promise<void> {
  const seen = await see(tx, await store.lockSubscription(tx, id))
  if (seen.subscription.status === 'cancelled') return
  const moment = { at: wholeSecond(tx.now), now: tx.now, draw: drawIn(tx) }
  const given = planDunning(tx, seen, {
    ...{ hasGivenUp: true, hasGrace: false, finalAction, finalActionAt: tx.now },
  })
  const action = finalAction === 'mark_unpaid' ? 'keep' : finalAction
  const then = sceneAfter(seen, given)
  const ended = planNews(then, { is: 'dunning_exhausted', finalAction: action }, moment)
  await carryOut(tx, [{ seen, plan: joined(given, ended) }])
}

/** What a campaign says changes what is owed how; the step that tells of it is the one that fits. */
function planDunning(tx: Tx, seen: Seen, dunning: Dunning | null): Plan {
  const moment = { at: wholeSecond(tx.now), now: tx.now, draw: drawIn(tx) }
  const noted = { ...seen, subscription: { ...seen.subscription, dunning } }
  const { status } = collectionOf(seen.owed, dunning)
  const plan = planNews(noted, { is: 'collection', status }, moment)
  return plan.steps.length > 0 ? plan : { ...plan, ...told('updated', noted.subscription) }
}

/** What subscriptions do by themselves: one thing at a time for each, many subscriptions at once. */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { nextDue } from '../plan/due.ts'
import { planAdvance } from '../plan/plan.ts'
import { lockSubscription, lockSubscriptions, updateSubscriptions } from '../store/subscriptions.ts'
import type { Subscription } from '../subscription.ts'
import { carryOut, giveBack, type Planned, type Sending } from './carry-out.ts'
import { drawIn, type Seen, seeAll } from './scene.ts'
import { send } from './send.ts'

/** Work: something is due. A message that comes late or twice finds nothing to do. */
export async function advanceSubscription(deps: Deps, ref: Ref<'subscription'>): Promise<void> {
  const sendings = await transact(deps, systemCaller(ref), async (tx) =>
    advance(tx, [await lockSubscription(tx, ref.id)]),
  )
  for (const sending of sendings) await send(deps, sending)
}

/** Many of one workspace in one transaction. If it fails, each is handled alone. */
export async function advanceSubscriptions(deps: Deps, refs: readonly Ref<'subscription'>[]): Promise<void> {
  const [first] = refs
  if (first === undefined) return
  const sendings = await transact(deps, systemCaller(first), async (tx) =>
    advance(
      tx,
      await lockSubscriptions(
        tx,
        refs.map(({ id }) => id),
      ),
    ),
  )
  for (const sending of sendings) await send(deps, sending)
}

async function advance(tx: Tx, locked: readonly Subscription[]): Promise<Sending[]> {
  const due = locked.filter(({ nextActionAt }) => nextActionAt !== null && nextActionAt <= tx.now)
  const planned = (await seeAll(tx, due)).map((seen) => planFor(tx, seen))
  await carryOut(
    tx,
    planned.filter(({ plan }) => plan.steps.length > 0),
  )
  await lookLater(
    tx,
    planned.filter(({ plan }) => plan.steps.length === 0),
  )
  const sendings: Sending[] = []
  for (const one of planned) {
    const sending = await giveBack(tx, one)
    if (sending !== null) sendings.push(sending)
  }
  return sendings
}

function planFor(tx: Tx, seen: Seen): Planned {
  return { seen, plan: planAdvance(seen, { at: tx.now, now: tx.now, draw: drawIn(tx) }) }
}

/** What was due waits for money now. Its end will be heard of, and the time is computed again. */
async function lookLater(tx: Tx, idle: readonly Planned[]): Promise<void> {
  await updateSubscriptions(
    tx,
    idle.map(({ seen }) => {
      const before = seen.subscription
      return { before, after: { ...before, nextActionAt: nextDue(seen)?.at ?? null }, told: false }
    }),
  )
}

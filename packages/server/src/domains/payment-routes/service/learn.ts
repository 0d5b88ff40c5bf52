/**
 * How a route learns what its accounts approve. Payments that are old enough to be over are counted in the order of
 * their ids, in the unit that remembers how far it got: each counts once, whoever is killed. What came of it is a
 * snapshot that all processes decide by; on the way of a payment nothing is counted and nothing is asked.
 */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Id, Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { adaptiveActionsOf, type Definition } from '../payment-route.ts'
import { snapshotOf } from '../snapshot.ts'
import * as store from '../store/learning.ts'
import { requireRoute } from '../store/routes.ts'
import { withDefinition } from './save.ts'

/** By then almost all outcomes are known. What is not known yet has failed the payer, and counts as a failure. */
export const settledMinutes = 10
const everySeconds = 60
/** So few that the unit is over in a moment. */
const portion = 20_000

type Published = { readonly before: Definition | null; readonly after: Definition | null }

/** Call it whenever something else is published. Null: nothing was, or no payments are made by it any more. */
export async function followLearning(
  tx: Tx,
  id: Id<'payment_route'>,
  { before, after }: Published,
): Promise<void> {
  const learns = (definition: Definition | null) =>
    definition !== null && adaptiveActionsOf(definition).size > 0
  if (learns(after)) await store.startLearning(tx, id)
  else if (learns(before)) await store.stopLearning(tx, id)
}

/** Work: counts what is new, and makes a snapshot when it has come to the end. */
export async function learnRoute(deps: Deps, ref: Ref<'payment_route'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockLearning(tx, ref.id)
    // A message may come late or twice. The row knows whether there is anything to do.
    if (before === null || before.dueAt === null || before.dueAt > tx.now) return
    const next = await store.nextPortion(tx, before.countedTo, { settledMinutes, limit: portion })
    if (next !== null) await store.countOutcomes(tx, before, next.last)
    const countedTo = next?.last ?? before.countedTo
    if (next?.isFull) await store.updateLearning(tx, before, { countedTo, dueAt: tx.now })
    else await takeSnapshot(tx, before, countedTo)
  })
}

/** One that says the same as the last is none, so that nobody reads it again. */
async function takeSnapshot(tx: Tx, before: store.Learning, countedTo: string): Promise<void> {
  await store.forgetOld(tx, before.id)
  const { definition } = await withDefinition(tx, await requireRoute(tx, before.id))
  const actions = adaptiveActionsOf(definition)
  const snapshot = snapshotOf(actions, await store.readCells(tx, before.id, actions))
  const isNew = JSON.stringify(snapshot) !== JSON.stringify(before.snapshot)
  const dueAt = addSeconds(tx.now, everySeconds)
  await store.updateLearning(tx, before, { countedTo, dueAt, ...(isNew ? { snapshot } : {}) })
}

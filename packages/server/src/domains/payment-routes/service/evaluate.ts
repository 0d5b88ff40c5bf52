/** What an adaptive order would have brought, or has, by what is recorded of a route. Reads, and writes nothing. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import type { Id } from '../../../kernel/id.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import type { Adaptive } from '../adaptive.ts'
import { type Evaluated, Evaluation, type Refused } from '../evaluation.ts'
import { type Definition, prioritiesOf } from '../payment-route.ts'
import { recordedOf } from '../recorded.ts'
import { boundsOf, listFirstAttempts } from '../store/recorded.ts'
import { findRevision } from '../store/revisions.ts'
import { findRoute } from '../store/routes.ts'
import { settledMinutes } from './learn.ts'
import { withDefinition } from './save.ts'

export type { Evaluated, Refused } from '../evaluation.ts'

const pageSize = 2_000

/** Null if the workspace has no such route. */
export async function evaluateRoute(
  deps: Deps,
  caller: Caller,
  id: Id<'payment_route'>,
  days: number,
): Promise<Evaluated | Refused | null> {
  const opened = await read(deps, caller, async (view) => {
    const head = await findRoute(view, id)
    if (head === null) return null
    const { definition } = await withDefinition(view, head)
    return { definition, bounds: await boundsOf(view, { days, settledMinutes }) }
  })
  if (opened === null) return null
  const evaluation = new Evaluation()
  const published = settingsOf(opened.definition)
  const definitions = new Map<number, Definition>()
  let after: string | null = opened.bounds.after
  while (after !== null) {
    const stretch = { ...opened.bounds, after, limit: pageSize }
    // A transaction for each page: nobody waits for one that takes minutes.
    const page = await read(deps, caller, async (view) => {
      const found = await listFirstAttempts(view, id, stretch)
      for (const { revision } of found.attempts) {
        if (definitions.has(revision)) continue
        definitions.set(revision, (await findRevision(view, id, revision))?.definition ?? opened.definition)
      }
      return found
    })
    for (const attempt of page.attempts) {
      const recorded = recordedOf(attempt, definitions.get(attempt.revision) as Definition, published)
      if (recorded !== null) evaluation.add(recorded)
    }
    after = page.last
  }
  return evaluation.result()
}

/** By the name of the rule; the default by an empty one. Also of those that are not enabled yet. */
function settingsOf(definition: Definition): ReadonlyMap<string, Adaptive> {
  return new Map(
    prioritiesOf(definition).flatMap(({ rule, action }) =>
      action.adaptive ? [[rule, action.adaptive]] : [],
    ),
  )
}

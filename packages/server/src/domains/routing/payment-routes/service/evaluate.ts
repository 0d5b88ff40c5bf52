/** Evaluates an adaptive order, live or hypothetical, on the recorded payments of a route. Read-only. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { Evaluation, type EvaluationRefusal, type EvaluationResult } from '../adaptive/evaluation.ts'
import { recordedAttemptOf } from '../adaptive/recorded-attempt.ts'
import { type Adaptive, type Definition, prioritiesOf } from '../payment-route.ts'
import { boundsOf, listFirstAttempts } from '../store/first-attempts.ts'
import { findRevision } from '../store/revisions.ts'
import { findRoute } from '../store/routes.ts'
import { outcomeDelayMinutes } from './learn.ts'
import { withDefinition } from './save.ts'

export type { EvaluationRefusal, EvaluationResult } from '../adaptive/evaluation.ts'

const pageSize = 2_000

/** Null if the workspace has no such route. */
export async function evaluateRoute(
  deps: Deps,
  caller: Caller,
  id: Id<'payment_route'>,
  days: number,
): Promise<EvaluationResult | EvaluationRefusal | null> {
  const loaded = await read(deps, caller, async (view) => {
    const head = await findRoute(view, id)
    if (head === null) return null
    const { definition } = await withDefinition(view, head)
    return { definition, bounds: await boundsOf(view, { days, outcomeDelayMinutes }) }
  })
  if (loaded === null) return null
  const evaluation = new Evaluation()
  const publishedSettings = settingsOf(loaded.definition)
  const definitions = new Map<number, Definition>()
  let after: string | null = loaded.bounds.after
  while (after !== null) {
    const range = { ...loaded.bounds, after, limit: pageSize }
    // One transaction per page, so that none takes minutes.
    const page = await read(deps, caller, async (view) => {
      const firstAttempts = await listFirstAttempts(view, id, range)
      for (const { revision } of firstAttempts.attempts) {
        if (definitions.has(revision)) continue
        definitions.set(revision, (await findRevision(view, id, revision))?.definition ?? loaded.definition)
      }
      return firstAttempts
    })
    for (const attempt of page.attempts) {
      const definition = definitions.get(attempt.revision) as Definition
      const recorded = recordedAttemptOf(attempt, definition, publishedSettings)
      if (recorded !== null) evaluation.add(recorded)
    }
    after = page.last
  }
  return evaluation.result()
}

/** By rule name; the default action has an empty name. Includes settings that are not enabled yet. */
function settingsOf(definition: Definition): ReadonlyMap<string, Adaptive> {
  return new Map(
    prioritiesOf(definition).flatMap(({ rule, action }) =>
      action.adaptive ? [[rule, action.adaptive]] : [],
    ),
  )
}

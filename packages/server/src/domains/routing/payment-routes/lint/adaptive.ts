/** Checks whether an adaptive action can have enough attempts. */
import { neededAttempts } from '../adaptive/adaptive.ts'
import type { Definition, Finding, Priority } from '../payment-route.ts'
import { actionsWithPointers } from './accounts.ts'
import type { LintEnvironment } from './lint-context.ts'

/**
 * All attempts at the accounts of an action, on any route, are an upper bound for each of its segments. If even
 * this total is too low, the fixed order applies, which is valid but rarely intended.
 */
export function adaptiveFindings(definition: Definition, { attemptsByDay }: LintEnvironment): Finding[] {
  if (attemptsByDay === undefined) return []
  return actionsWithPointers(definition).flatMap(({ action, pointer }): Finding[] => {
    if (action.type !== 'priority' || action.adaptive?.enabled !== true) return []
    const attempts = attemptsOf(action, action.adaptive.window_days, attemptsByDay)
    if (attempts >= neededAttempts) return []
    const attemptsText = attempts.toLocaleString('en')
    const detail = `Attempts at these accounts in the window: ${attemptsText}. The fixed order applies until a segment has ${neededAttempts.toLocaleString('en')}.`
    return [
      { severity: 'warning', code: 'adaptive_too_few_attempts', pointer: `${pointer}/adaptive`, detail },
    ]
  })
}

function attemptsOf(
  { targets }: Priority,
  days: number,
  attemptsByDay: NonNullable<LintEnvironment['attemptsByDay']>,
): number {
  return targets
    .flatMap((id) => attemptsByDay.get(id)?.slice(0, days) ?? [])
    .reduce((sum, attempts) => sum + attempts, 0)
}

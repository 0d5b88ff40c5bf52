/** Whether an action that follows what its accounts approve will ever have enough to go by. */
import { neededAttempts } from './adaptive.ts'
import { placedActions } from './lint-accounts.ts'
import type { Surroundings } from './looked.ts'
import type { Definition, Finding, Priority } from './payment-route.ts'

/**
 * What all its accounts were asked for, by whatever route, is more than any segment of it can have had. If even that
 * is not enough, the fixed order will stand; it is legal, and seldom meant.
 */
export function adaptiveFindings(definition: Definition, { asked }: Surroundings): Finding[] {
  if (asked === undefined) return []
  return placedActions(definition).flatMap(({ action, pointer }): Finding[] => {
    if (action.type !== 'priority' || action.adaptive?.enabled !== true) return []
    const attempts = attemptsOf(action, action.adaptive.window_days, asked)
    if (attempts >= neededAttempts) return []
    const known = attempts.toLocaleString('en')
    const detail = `These accounts have ${known} attempts in the window; a segment needs ${neededAttempts.toLocaleString('en')}, so the fixed order stands until then.`
    return [
      { severity: 'warning', code: 'adaptive_too_few_attempts', pointer: `${pointer}/adaptive`, detail },
    ]
  })
}

function attemptsOf({ targets }: Priority, days: number, asked: NonNullable<Surroundings['asked']>): number {
  return targets
    .flatMap((id) => asked.get(id)?.slice(0, days) ?? [])
    .reduce((sum, attempts) => sum + attempts, 0)
}

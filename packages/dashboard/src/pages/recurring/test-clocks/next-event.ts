/** When something happens next on a clock, from what its subscriptions say. Null: nothing is known to come. Pure. */
import type { Subscription } from '@switchyard/sdk'

export function nextEventAt(subscriptions: readonly Subscription[], nowAt: string): string | null {
  const times = subscriptions
    .flatMap(timesOf)
    .filter((at): at is string => at != null && Date.parse(at) > Date.parse(nowAt))
  return times.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0] ?? null
}

function timesOf(subscription: Subscription): (string | null | undefined)[] {
  const { current_period: period, trial, pause, scheduled_change: change, activation } = subscription
  const { collection, status } = subscription
  const isOver = status === 'cancelled'
  return [
    collection.next_attempt_at,
    collection.final_action_at,
    ...(isOver ? [] : [period?.end_at, trial?.end_at, pause?.resumes_at]),
    ...(isOver ? [] : [change?.effective_at, activation?.expires_at]),
  ]
}

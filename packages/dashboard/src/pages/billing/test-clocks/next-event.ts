/** The time of the next event on a clock, from its subscriptions; null if nothing is scheduled. No side effects. */
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
  const isCancelled = status === 'cancelled'
  return [
    collection.next_attempt_at,
    collection.final_action_at,
    ...(isCancelled ? [] : [period?.end_at, trial?.end_at, pause?.resumes_at]),
    ...(isCancelled ? [] : [change?.effective_at, activation?.expires_at]),
  ]
}

/** When a subscription will be charged, as far as is known now: calendar dates where its anchor is. Pure. */

import type { Subscription } from '@switchyard/sdk'
import { dayMs } from '../../../format/time.ts'

/** A calendar date, `2027-05-01`. */
export type Day = string

/** The next charges, `count` at most and none later than a year ahead of the first. */
export function comingCharges(subscription: Subscription, count: number): readonly Day[] {
  const first = firstCharge(subscription)
  if (first === null) return []
  const wanted = subscription.anchor?.day ?? dayOf(first)
  const end = endOf(subscription)
  const days: Day[] = []
  for (let index = 0; index < count; index += 1) {
    const day = moved(first, subscription.interval, index, wanted)
    if (day > moved(first, { unit: 'year', count: 1 }, 1, wanted) || (end !== null && day >= end)) break
    days.push(day)
  }
  return days
}

function firstCharge(subscription: Subscription): Day | null {
  const { status, pause, trial, current_period: period } = subscription
  if (status === 'cancelled') return null
  const zone = subscription.anchor?.time_zone ?? 'UTC'
  if (status === 'paused') {
    if (pause?.resumes_at == null) return null
    return dateIn(zone, new Date(Date.parse(pause.resumes_at) + pause.remaining_seconds * 1_000))
  }
  if (status === 'active') return period === null ? null : dateIn(zone, new Date(period.end_at))
  return trial === null || trial.end_behaviour !== 'activate' ? null : dateIn(zone, new Date(trial.end_at))
}

/** From then on nothing is charged. */
function endOf({ scheduled_change: change, anchor }: Subscription): Day | null {
  if (change === null || change.action === 'update' || change.effective_at === null) return null
  return dateIn(anchor?.time_zone ?? 'UTC', new Date(change.effective_at))
}

/** A month that is shorter ends on its last day; the day that is wanted comes back in the next. */
function moved(from: Day, { unit, count }: Subscription['interval'], times: number, wanted: number): Day {
  const [year = 0, month = 1, day = 1] = from.split('-').map(Number)
  const by = count * times
  if (unit === 'day' || unit === 'week') {
    const days = by * (unit === 'week' ? 7 : 1)
    return new Date(Date.UTC(year, month - 1, day) + days * dayMs).toISOString().slice(0, 10)
  }
  const months = (unit === 'year' ? 12 : 1) * by
  const last = new Date(Date.UTC(year, month + months, 0))
  const date = new Date(Date.UTC(year, month - 1 + months, Math.min(wanted, last.getUTCDate())))
  return date.toISOString().slice(0, 10)
}

function dayOf(day: Day): number {
  return Number(day.slice(-2))
}

function dateIn(timeZone: string, at: Date): Day {
  // Swedes write dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at)
}

/**
 * The upcoming charges of a subscription as currently scheduled, as dates in the time zone of its anchor. No side
 * effects.
 */

import type { Subscription } from '@switchyard/sdk'
import { dayMs } from '../../../format/time.ts'

/** A calendar date, `2027-05-01`. */
export type Day = string

/** The next charges: at most `count`, and none later than a year after the first. */
export function upcomingCharges(subscription: Subscription, count: number): readonly Day[] {
  const first = firstCharge(subscription)
  if (first === null) return []
  const anchorDay = subscription.anchor?.day ?? dayOf(first)
  const end = endOf(subscription)
  const days: Day[] = []
  for (let index = 0; index < count; index += 1) {
    const day = addIntervals(first, subscription.interval, index, anchorDay)
    if (day > addIntervals(first, { unit: 'year', count: 1 }, 1, anchorDay) || (end !== null && day >= end))
      break
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

/** The first day without charges; null if there is no scheduled end. */
function endOf({ scheduled_change: change, anchor }: Subscription): Day | null {
  if (change === null || change.action === 'update' || change.effective_at === null) return null
  return dateIn(anchor?.time_zone ?? 'UTC', new Date(change.effective_at))
}

/** In a shorter month the charge is on its last day; the next month uses the anchor day again. */
function addIntervals(
  from: Day,
  { unit, count }: Subscription['interval'],
  times: number,
  anchorDay: number,
): Day {
  const [year = 0, month = 1, day = 1] = from.split('-').map(Number)
  const units = count * times
  if (unit === 'day' || unit === 'week') {
    const days = units * (unit === 'week' ? 7 : 1)
    return new Date(Date.UTC(year, month - 1, day) + days * dayMs).toISOString().slice(0, 10)
  }
  const months = (unit === 'year' ? 12 : 1) * units
  const last = new Date(Date.UTC(year, month + months, 0))
  const date = new Date(Date.UTC(year, month - 1 + months, Math.min(anchorDay, last.getUTCDate())))
  return date.toISOString().slice(0, 10)
}

function dayOf(day: Day): number {
  return Number(day.slice(-2))
}

function dateIn(timeZone: string, at: Date): Day {
  // The Swedish locale formats dates as ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone }).format(at)
}

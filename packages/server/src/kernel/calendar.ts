/**
 * Billing periods. A boundary is always computed from the anchor, never from the previous boundary: stepping
 * from month to month would turn the 31st into the 28th after February and keep it there. That is why the
 * requested day is stored separately from the date. A day that a month does not have becomes the last day of
 * that month, and a local time that a daylight saving change skips moves forward by the length of the gap.
 * All calendar arithmetic in time zones is in this file.
 */
import { Temporal } from 'temporal-polyfill'
import { assert } from './assert.ts'

export const intervalUnits = ['day', 'week', 'month', 'year'] as const
export type IntervalUnit = (typeof intervalUnits)[number]
export type Interval = { readonly unit: IntervalUnit; readonly count: number }

/**
 * Defines boundary 0. `day` is the requested day of the month; `date` has the actual day, which is lower in a
 * short month.
 */
export type Anchor = {
  readonly date: string
  readonly day: number
  readonly time: string
  readonly timeZone: string
  /** How many times the anchor was moved. Periods of one epoch are numbered without gaps. */
  readonly epoch: number
}

/** The half-open interval `[startAt, endAt)`. */
export type Period = { readonly index: number; readonly startAt: Date; readonly endAt: Date }

/** Boundary `n` of the anchor. A negative `n` is before the anchor. */
export function boundary(anchor: Anchor, interval: Interval, n: number): Date {
  return instantOf(anchor, civilDate(anchor, interval, n))
}

/** The period that contains `at`. */
export function periodAt(anchor: Anchor, interval: Interval, at: Date): Period {
  let index = estimateIndex(anchor, interval, at)
  let startAt = boundary(anchor, interval, index)
  // The estimate uses only months or days, so it is off by at most one.
  while (startAt > at) startAt = boundary(anchor, interval, --index)
  let endAt = boundary(anchor, interval, index + 1)
  while (endAt <= at) {
    startAt = endAt
    endAt = boundary(anchor, interval, ++index + 1)
  }
  return { index, startAt, endAt }
}

/**
 * Period `index`, or the next one that is not empty. Where a time zone skipped a day, two boundaries are the
 * same instant.
 */
export function periodFrom(anchor: Anchor, interval: Interval, index: number): Period {
  const startAt = boundary(anchor, interval, index)
  const endAt = boundary(anchor, interval, index + 1)
  return endAt > startAt ? { index, startAt, endAt } : periodFrom(anchor, interval, index + 1)
}

/** The anchor whose boundary 0 is `at`. */
export function anchorAt(at: Date, timeZone: string, epoch: number): Anchor {
  const civil = zonedAt(at, timeZone)
  const time = [civil.hour, civil.minute, civil.second].map(twoDigits).join(':')
  return { date: formatDate(civil), day: civil.day, time, timeZone, epoch }
}

/**
 * The anchor for a requested day of the month. Boundary 1 is the next midnight of that day after `at`, and
 * boundary 0 is one interval earlier, so the first period is a partial one.
 */
export function anchorOnDay(
  at: Date,
  interval: Interval,
  options: { readonly day: number; readonly timeZone: string; readonly epoch: number },
): Anchor {
  const { day, timeZone, epoch } = options
  const today = zonedAt(at, timeZone)
  const next = [0, 1, 2]
    .map((months) => ({
      date: formatDate(onDay(today, months, day)),
      day,
      time: '00:00:00',
      timeZone,
      epoch,
    }))
    .find((candidate) => boundary(candidate, interval, 0) > at)
  assert(next !== undefined, 'The requested day must occur again within two months after any instant.')
  return { ...next, date: formatDate(civilDate(next, interval, -1)) }
}

/**
 * A name from the IANA time zone database, such as `Europe/Berlin`, or `UTC`. Offsets such as `+01:00` are
 * not accepted.
 */
export function isTimeZone(text: string): boolean {
  if (!/^(UTC|[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)+)$/.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    // `Intl.supportedValuesOf` omits renamed zones, so the only reliable check is to try the name.
    return false
  }
}

/**
 * The offsets from UTC in minutes that a local time such as `2026-10-25T02:30` may have: two during a
 * daylight saving change.
 */
export function offsetsOf(localTime: string, timeZone: string): readonly number[] {
  const civil = Temporal.PlainDateTime.from(localTime)
  const offsets = (['earlier', 'later'] as const).map(
    (disambiguation) => civil.toZonedDateTime(timeZone, { disambiguation }).offsetNanoseconds / 60e9,
  )
  return [...new Set(offsets)]
}

/** Drops milliseconds: periods are counted in whole seconds. */
export function wholeSecond(at: Date): Date {
  return new Date(Math.floor(at.getTime() / 1000) * 1000)
}

export function secondsBetween(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1000
}

type CivilDate = { readonly year: number; readonly month: number; readonly day: number }

const monthsIn = { day: 0, week: 0, month: 1, year: 12 } as const
const daysIn = { day: 1, week: 7, month: 0, year: 0 } as const
const dayMs = 86_400_000

function civilDate(anchor: Anchor, { unit, count }: Interval, n: number): CivilDate {
  const start = parseDate(anchor.date)
  if (monthsIn[unit] > 0) return onDay(start, n * count * monthsIn[unit], anchor.day)
  const date = new Date(dayNumber(start) * dayMs + n * count * daysIn[unit] * dayMs)
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() }
}

/** The date `months` later, on `day` or on the last day of a shorter month. */
function onDay({ year, month }: CivilDate, months: number, day: number): CivilDate {
  const total = year * 12 + (month - 1) + months
  const target = { year: Math.floor(total / 12), month: (((total % 12) + 12) % 12) + 1 }
  return { ...target, day: Math.min(day, daysInMonth(target.year, target.month)) }
}

function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

function instantOf({ time, timeZone }: Anchor, { year, month, day }: CivilDate): Date {
  const hour = Number(time.slice(0, 2))
  const minute = Number(time.slice(3, 5))
  const second = Number(time.slice(6, 8))
  // Fast path: most anchors are in UTC, which has no daylight saving gaps.
  if (timeZone === 'UTC') return new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  const civil = new Temporal.PlainDateTime(year, month, day, hour, minute, second)
  // `compatible` picks the later instant in a gap and the earlier one in an overlap.
  return new Date(civil.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds)
}

function zonedAt(at: Date, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
}

/** The date on the calendar of a time zone. */
export function civilDateIn(at: Date, timeZone: string): CivilDate {
  const { year, month, day } = zonedAt(at, timeZone)
  return { year, month, day }
}

function estimateIndex(anchor: Anchor, { unit, count }: Interval, at: Date): number {
  const start = parseDate(anchor.date)
  const local = zonedAt(at, anchor.timeZone)
  if (monthsIn[unit] === 0) return Math.floor((dayNumber(local) - dayNumber(start)) / (count * daysIn[unit]))
  const months = (local.year - start.year) * 12 + local.month - start.month
  return Math.floor(months / (count * monthsIn[unit]))
}

function dayNumber({ year, month, day }: CivilDate): number {
  return Date.UTC(year, month - 1, day) / dayMs
}

function parseDate(text: string): CivilDate {
  return {
    year: Number(text.slice(0, 4)),
    month: Number(text.slice(5, 7)),
    day: Number(text.slice(8, 10)),
  }
}

function formatDate({ year, month, day }: CivilDate): string {
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

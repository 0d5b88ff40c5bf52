/**
 * Periods of a calendar. A boundary is always computed from the anchor, never from the boundary before it:
 * stepping from month to month would lose the 31st in February for good. The wanted day stands apart from the
 * date, a day that a month does not have becomes its last, and an hour that a zone skips the one after.
 * This is the one file that knows what a calendar is.
 */
import { Temporal } from 'temporal-polyfill'
import { assert } from './assert.ts'

export const intervalUnits = ['day', 'week', 'month', 'year'] as const
export type IntervalUnit = (typeof intervalUnits)[number]
export type Interval = { readonly unit: IntervalUnit; readonly count: number }

/** Where boundary 0 lies. `day` is the day that is wanted, `date` the one that its month has. */
export type Anchor = {
  readonly date: string
  readonly day: number
  readonly time: string
  readonly timeZone: string
  /** How often it was moved. Periods of one epoch are numbered without gaps. */
  readonly epoch: number
}

/** `[startAt, endAt)`. */
export type Period = { readonly index: number; readonly startAt: Date; readonly endAt: Date }

/** Boundary `n` of the anchor; it may lie before it. */
export function boundary(anchor: Anchor, interval: Interval, n: number): Date {
  return instantOf(anchor, civilDate(anchor, interval, n))
}

/** The period that holds `at`. */
export function periodAt(anchor: Anchor, interval: Interval, at: Date): Period {
  let index = estimate(anchor, interval, at)
  let startAt = boundary(anchor, interval, index)
  // The estimate looks at months or days alone, so it is off by one at most.
  while (startAt > at) startAt = boundary(anchor, interval, --index)
  let endAt = boundary(anchor, interval, index + 1)
  while (endAt <= at) {
    startAt = endAt
    endAt = boundary(anchor, interval, ++index + 1)
  }
  return { index, startAt, endAt }
}

/**
 * Period `index`, or the first after it that has a length: where a zone left out a day, two boundaries are the
 * same instant, and nobody lived in between.
 */
export function periodFrom(anchor: Anchor, interval: Interval, index: number): Period {
  const startAt = boundary(anchor, interval, index)
  const endAt = boundary(anchor, interval, index + 1)
  return endAt > startAt ? { index, startAt, endAt } : periodFrom(anchor, interval, index + 1)
}

/** The anchor whose boundary 0 is that instant. */
export function anchorAt(at: Date, timeZone: string, epoch: number): Anchor {
  const civil = zonedAt(at, timeZone)
  const time = [civil.hour, civil.minute, civil.second].map(twoDigits).join(':')
  return { date: textOf(civil), day: civil.day, time, timeZone, epoch }
}

/**
 * The anchor of a wish for a day of the month: boundary 1 is the next midnight of that day after `at`, and
 * boundary 0 lies one interval before, so that the first period is a part of a nominal one.
 */
export function anchorOnDay(
  at: Date,
  interval: Interval,
  wish: { readonly day: number; readonly timeZone: string; readonly epoch: number },
): Anchor {
  const { day, timeZone, epoch } = wish
  const today = zonedAt(at, timeZone)
  const next = [0, 1, 2]
    .map((months) => ({ date: textOf(onDay(today, months, day)), day, time: '00:00:00', timeZone, epoch }))
    .find((candidate) => boundary(candidate, interval, 0) > at)
  assert(next !== undefined, 'One of three months in a row has a midnight of that day after any instant.')
  return { ...next, date: textOf(civilDate(next, interval, -1)) }
}

/** A name of the time zone database, such as `Europe/Berlin`, or `UTC`. An offset is no zone. */
export function isTimeZone(text: string): boolean {
  if (!/^(UTC|[A-Za-z][A-Za-z0-9_+-]*(\/[A-Za-z0-9_+-]+)+)$/.test(text)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: text })
    return true
  } catch {
    // There is no way to ask but to try: the list of names leaves out those that changed.
    return false
  }
}

/** Without a fraction: periods are counted in whole seconds. */
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
  const start = dateOf(anchor.date)
  if (monthsIn[unit] > 0) return onDay(start, n * count * monthsIn[unit], anchor.day)
  const there = new Date(dayNumber(start) * dayMs + n * count * daysIn[unit] * dayMs)
  return { year: there.getUTCFullYear(), month: there.getUTCMonth() + 1, day: there.getUTCDate() }
}

/** So many months on, on that day or the last one before it that the month has. */
function onDay({ year, month }: CivilDate, months: number, day: number): CivilDate {
  const total = year * 12 + (month - 1) + months
  const there = { year: Math.floor(total / 12), month: (((total % 12) + 12) % 12) + 1 }
  return { ...there, day: Math.min(day, daysInMonth(there.year, there.month)) }
}

function daysInMonth(year: number, month: number): number {
  return new Date(Date.UTC(year, month, 0)).getUTCDate()
}

function instantOf({ time, timeZone }: Anchor, { year, month, day }: CivilDate): Date {
  const hour = Number(time.slice(0, 2))
  const minute = Number(time.slice(3, 5))
  const second = Number(time.slice(6, 8))
  // Most anchors are in UTC, which has no gaps to look for.
  if (timeZone === 'UTC') return new Date(Date.UTC(year, month - 1, day, hour, minute, second))
  const civil = new Temporal.PlainDateTime(year, month, day, hour, minute, second)
  // `compatible`: in a gap the later instant, in an overlap the earlier one.
  return new Date(civil.toZonedDateTime(timeZone, { disambiguation: 'compatible' }).epochMilliseconds)
}

function zonedAt(at: Date, timeZone: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(timeZone)
}

function estimate(anchor: Anchor, { unit, count }: Interval, at: Date): number {
  const start = dateOf(anchor.date)
  const there = zonedAt(at, anchor.timeZone)
  if (monthsIn[unit] === 0) return Math.floor((dayNumber(there) - dayNumber(start)) / (count * daysIn[unit]))
  const months = (there.year - start.year) * 12 + there.month - start.month
  return Math.floor(months / (count * monthsIn[unit]))
}

function dayNumber({ year, month, day }: CivilDate): number {
  return Date.UTC(year, month - 1, day) / dayMs
}

function dateOf(text: string): CivilDate {
  return {
    year: Number(text.slice(0, 4)),
    month: Number(text.slice(5, 7)),
    day: Number(text.slice(8, 10)),
  }
}

function textOf({ year, month, day }: CivilDate): string {
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(day)}`
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0')
}

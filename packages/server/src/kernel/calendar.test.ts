import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { afterEach, expect, test } from 'vitest'
import { pureRuns } from '../../test/support/property-runs.ts'
import {
  type Anchor,
  anchorAt,
  anchorOnDay,
  boundary,
  type Interval,
  isTimeZone,
  periodAt,
  periodFrom,
  secondsBetween,
  wholeSecond,
} from './calendar.ts'

const vectors = JSON.parse(
  readFileSync(new URL('../../../../fixtures/billing-vectors.json', import.meta.url), 'utf8'),
)
type WireAnchor = { date: string; day: number; time: string; time_zone: string }
const fromWire = ({ date, day, time, time_zone }: WireAnchor): Anchor => ({
  date,
  day,
  time,
  timeZone: time_zone,
  epoch: 0,
})
const monthly: Interval = { unit: 'month', count: 1 }

type PeriodVector = { anchor: WireAnchor; interval: Interval; boundaries: string[] }
type LengthVector = { time_zone: string; start_date: string; seconds: number }

test.each((vectors.periods as PeriodVector[]).map((vector) => ({ name: nameOf(vector), ...vector })))(
  '$name',
  ({ anchor, interval, boundaries }) => {
    const actual = boundaries.map((_, index) => boundary(fromWire(anchor), interval, index + 1).toISOString())
    expect(actual).toEqual(boundaries)
  },
)

function nameOf({ anchor: { date, day, time, time_zone }, interval: { count, unit } }: PeriodVector): string {
  return `${date} day ${day} ${time} ${time_zone}, every ${count} ${unit}`
}

test.each(vectors.period_lengths as LengthVector[])(
  'a month in $time_zone from $start_date has $seconds s',
  ({ time_zone, start_date, seconds }) => {
    const anchor = fromWire({ date: start_date, day: 1, time: '00:00:00', time_zone })
    expect(secondsBetween(boundary(anchor, monthly, 0), boundary(anchor, monthly, 1))).toBe(seconds)
  },
)

test('a zero-length period, caused by a day that the time zone skipped, is skipped', () => {
  const anchor = fromWire({ date: '2011-12-28', day: 28, time: '00:00:00', time_zone: 'Pacific/Apia' })
  const daily: Interval = { unit: 'day', count: 1 }
  expect(periodFrom(anchor, daily, 1).index).toBe(1)
  expect(periodFrom(anchor, daily, 2).index).toBe(3)
  expect(periodAt(anchor, daily, new Date('2011-12-30T10:00:00Z')).index).toBe(3)
})

// biome-ignore format: a table.
test.each([
  // start,                 day, zone,            interval,                    boundary 0,                 boundary 1
  ['2027-01-10T00:00:00Z',   1, 'UTC',            monthly,                     '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
  ['2027-02-10T12:00:00Z',  31, 'UTC',            monthly,                     '2027-01-31T00:00:00.000Z', '2027-02-28T00:00:00.000Z'],
  ['2027-02-28T12:00:00Z',  31, 'UTC',            monthly,                     '2027-02-28T00:00:00.000Z', '2027-03-31T00:00:00.000Z'],
  ['2027-01-10T00:00:00Z',   1, 'UTC',            { unit: 'year', count: 1 },  '2026-02-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
  ['2027-02-01T03:00:00Z',   1, 'America/New_York', monthly,                   '2027-01-01T05:00:00.000Z', '2027-02-01T05:00:00.000Z'],
] as const)('from %s, billing day %i in %s: boundary 1 is the next occurrence of that day', (at, day, timeZone, interval, first, second) => {
  const anchor = anchorOnDay(new Date(at), interval, { day, timeZone, epoch: 0 })
  expect([0, 1].map((n) => boundary(anchor, interval, n).toISOString())).toEqual([first, second])
})

test.each(['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/Argentina/Buenos_Aires', 'Etc/GMT+5'])(
  '%s is a time zone',
  (text) => expect(isTimeZone(text)).toBe(true),
)
test.each(['', '+01:00', 'utc', 'Berlin', 'Europe/Nowhere', 'Europe/Berlin[u-ca=hebrew]'])(
  '"%s" is not a time zone',
  (text) => expect(isTimeZone(text)).toBe(false),
)

const zones = [
  'UTC',
  'Europe/Berlin',
  'America/New_York',
  'Australia/Lord_Howe',
  'Asia/Kolkata',
  'Pacific/Chatham',
  'America/Sao_Paulo',
  'Africa/Casablanca',
  'Pacific/Kiritimati',
]
const instants = fc
  .date({ min: new Date('2020-01-01T00:00:00Z'), max: new Date('2045-01-01T00:00:00Z'), noInvalidDate: true })
  .map(wholeSecond)
const intervals: fc.Arbitrary<Interval> = fc.oneof(
  fc.record({ unit: fc.constantFrom('day', 'week', 'month'), count: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ unit: fc.constant('year'), count: fc.integer({ min: 1, max: 3 }) }),
)
const anchors = fc
  .record({ at: instants, timeZone: fc.constantFrom(...zones), day: fc.integer({ min: 1, max: 31 }) })
  .map(({ at, timeZone, day }) => {
    const anchor = anchorAt(at, timeZone, 0)
    // Only a requested billing day can exceed the length of the anchor's month.
    return day > anchor.day && anchor.day === lastDayOf(anchor.date) ? { ...anchor, day } : anchor
  })
const indexes = fc.integer({ min: -30, max: 400 })

const lastDayOf = (date: string) =>
  new Date(Date.UTC(Number(date.slice(0, 4)), Number(date.slice(5, 7)), 0)).getUTCDate()

test('boundaries strictly increase, and a period ends where the next begins', () => {
  fc.assert(
    fc.property(anchors, intervals, indexes, (anchor, interval, n) => {
      const period = periodFrom(anchor, interval, n)
      const next = periodFrom(anchor, interval, period.index + 1)
      expect(period.endAt > period.startAt).toBe(true)
      expect(next.startAt).toEqual(period.endAt)
    }),
    pureRuns,
  )
})

test('boundary 0 of the anchor at an instant is that instant, except in a repeated hour', () => {
  fc.assert(
    fc.property(instants, fc.constantFrom(...zones), intervals, (at, timeZone, interval) => {
      const zero = boundary(anchorAt(at, timeZone, 0), interval, 0)
      // When clocks go back, an hour repeats. The anchor resolves to the first occurrence.
      expect([0, 1800, 3600]).toContain(secondsBetween(zero, at))
    }),
    pureRuns,
  )
})

test('twelve months equal one year', () => {
  fc.assert(
    fc.property(anchors, indexes, (anchor, n) => {
      expect(boundary(anchor, { unit: 'month', count: 12 }, n)).toEqual(
        boundary(anchor, { unit: 'year', count: 1 }, n),
      )
      expect(boundary(anchor, monthly, 12 * n)).toEqual(boundary(anchor, { unit: 'year', count: 1 }, n))
    }),
    pureRuns,
  )
})

const originalTimeZone = process.env.TZ
afterEach(() => {
  if (originalTimeZone === undefined) delete process.env.TZ
  else process.env.TZ = originalTimeZone
})

test('the time zone of the process does not matter', () => {
  fc.assert(
    fc.property(anchors, intervals, indexes, fc.constantFrom(...zones), (anchor, interval, n, zone) => {
      process.env.TZ = 'UTC'
      const inUtc = boundary(anchor, interval, n).toISOString()
      process.env.TZ = zone
      expect(boundary(anchor, interval, n).toISOString()).toBe(inUtc)
    }),
    { numRuns: Math.min(pureRuns.numRuns, 5_000) },
  )
})

test('a boundary falls on the requested day, or on the last day of a shorter month', () => {
  fc.assert(
    fc.property(anchors, intervals, indexes, (anchor, interval, n) => {
      fc.pre(interval.unit === 'month' || interval.unit === 'year')
      const civil = anchorAt(boundary(anchor, interval, n), anchor.timeZone, 0)
      fc.pre(civil.time === anchor.time)
      expect(civil.day).toBe(Math.min(anchor.day, lastDayOf(civil.date)))
    }),
    pureRuns,
  )
})

test('the period at an instant contains it, and a later instant never has an earlier period', () => {
  fc.assert(
    fc.property(anchors, intervals, instants, instants, (anchor, interval, a, b) => {
      const [earlier, later] = a <= b ? [a, b] : [b, a]
      const first = periodAt(anchor, interval, earlier)
      expect(first.startAt <= earlier && earlier < first.endAt).toBe(true)
      expect(periodAt(anchor, interval, later).index).toBeGreaterThanOrEqual(first.index)
    }),
    pureRuns,
  )
})

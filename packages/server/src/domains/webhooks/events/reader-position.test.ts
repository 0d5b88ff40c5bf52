import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  floorOf,
  formatCursor,
  type LogSnapshot,
  parseCursor,
  positionOnThisShard,
  type ReaderPosition,
} from './reader-position.ts'

const uuid = fc.uuid()
/**
 * Snapshots as Postgres writes them: the oldest open transaction, the next one, and the open ones in between.
 */
const snapshots: fc.Arbitrary<LogSnapshot> = fc
  .record({
    at: fc.date({ min: new Date(0), max: new Date('2200-01-01'), noInvalidDate: true }),
    numbers: fc.uniqueArray(fc.bigInt({ min: 1n, max: 2n ** 56n }), { minLength: 1, maxLength: 300 }),
    isIdle: fc.boolean(),
  })
  .map(({ at, numbers, isIdle }) => {
    const [first = 1n, ...rest] = numbers.toSorted((a, b) => (a < b ? -1 : 1))
    const end = (rest.at(-1) ?? first) + 1n
    return { at, snapshot: isIdle ? `${first}:${first}:` : `${first}:${end}:${[first, ...rest].join(',')}` }
  })

const positions: fc.Arbitrary<ReaderPosition> = fc.oneof(
  snapshots.map((sentUntil): ReaderPosition => ({ kind: 'caught_up', sentUntil })),
  fc
    .record({
      since: fc.oneof(snapshots, uuid),
      until: snapshots,
      after: fc.option(fc.record({ uuid, sequence: fc.nat({ max: 999_999_999 }) })),
    })
    .map((range): ReaderPosition => ({ kind: 'catching_up', ...range })),
)

test('a formatted cursor parses to the same position, and needs no URL escaping', () => {
  fc.assert(
    fc.property(positions, (position) => {
      const cursor = formatCursor(position)

      expect(parseCursor(cursor)).toEqual(position)
      expect(cursor).toMatch(/^[0-9a-z.-]+$/)
      expect(encodeURIComponent(cursor)).toBe(cursor)
    }),
  )
})

test('a string that parses as a cursor always contains a snapshot that Postgres accepts', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789abcdefz.-'), maxLength: 60 }), (text) => {
      const position = parseCursor(text)
      if (position === null) return
      const { snapshot } = position.kind === 'caught_up' ? position.sentUntil : position.until
      const [min = 0n, max = 0n] = snapshot.split(':', 2).map(BigInt)
      const open = (snapshot.split(':')[2] ?? '').split(',').filter((number) => number !== '')
      expect(min > 0n && min <= max && max < 2n ** 63n).toBe(true)
      expect(open.map(BigInt).every((number) => number >= min && number < max)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('a cursor is short while few transactions are open', () => {
  const sentUntil = { at: new Date('2026-11-14T12:00:00.000Z'), snapshot: '1234567:1234570:1234567,1234569' }

  expect(formatCursor({ kind: 'caught_up', sentUntil })).toBe('mwgcsqo0-12d687-3-0-2')
})

const at = (time: string, next: number): LogSnapshot => ({
  at: new Date(`2026-11-14T${time}.000Z`),
  snapshot: `${next}:${next}:`,
})
const logStart = { now: at('12:10:00', 500), beginsAt: new Date('2026-11-14T12:00:00.000Z') }
const caughtUp = (sentUntil: LogSnapshot): ReaderPosition => ({ kind: 'caught_up', sentUntil })

test('a position from before a move to this shard continues by time, and later ones are kept', () => {
  const before = at('11:59:59', 400)
  const later = at('12:01:00', 450)
  // The clock of the other shard was ahead.
  const unknown = at('12:00:01', 9_000)
  const byTime = (snapshot: LogSnapshot) => ({
    kind: 'catching_up',
    since: floorOf(snapshot),
    until: logStart.now,
    after: null,
  })

  expect(positionOnThisShard(caughtUp(before), logStart)).toEqual(byTime(before))
  expect(positionOnThisShard(caughtUp(unknown), logStart)).toEqual(byTime(unknown))
  expect(positionOnThisShard(caughtUp(later), logStart)).toEqual(caughtUp(later))
  const after = { uuid: floorOf(before), sequence: 3 }
  expect(positionOnThisShard({ kind: 'catching_up', since: before, until: before, after }, logStart)).toEqual(
    { ...byTime(before), after },
  )
})

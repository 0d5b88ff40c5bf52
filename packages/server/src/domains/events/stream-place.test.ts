import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cursorOf, type Moment, type Place, placeOf } from './stream-place.ts'

const uuid = fc.uuid()
/** As Postgres writes them: the oldest transaction that is open, the next one, and those open between. */
const moments: fc.Arbitrary<Moment> = fc
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

const places: fc.Arbitrary<Place> = fc.oneof(
  moments.map((seen): Place => ({ is: 'caught up', seen })),
  fc
    .record({
      since: fc.oneof(moments, uuid),
      until: moments,
      after: fc.option(fc.record({ uuid, sequence: fc.nat({ max: 999_999_999 }) })),
    })
    .map((stretch): Place => ({ is: 'catching up', ...stretch })),
)

test('a cursor leads back to its place, and needs no escaping anywhere', () => {
  fc.assert(
    fc.property(places, (place) => {
      const cursor = cursorOf(place)

      expect(placeOf(cursor)).toEqual(place)
      expect(cursor).toMatch(/^[0-9a-z.-]+$/)
      expect(encodeURIComponent(cursor)).toBe(cursor)
    }),
  )
})

test('no other text is a place that Postgres could not read', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'0123456789abcdefz.-'), maxLength: 60 }), (text) => {
      const place = placeOf(text)
      if (place === null) return
      const { snapshot } = place.is === 'caught up' ? place.seen : place.until
      const [min = 0n, max = 0n] = snapshot.split(':', 2).map(BigInt)
      const open = (snapshot.split(':')[2] ?? '').split(',').filter((number) => number !== '')
      expect(min > 0n && min <= max && max < 2n ** 63n).toBe(true)
      expect(open.map(BigInt).every((number) => number >= min && number < max)).toBe(true)
    }),
    { numRuns: 2_000 },
  )
})

test('a cursor is short while little is going on', () => {
  const seen = { at: new Date('2026-11-14T12:00:00.000Z'), snapshot: '1234567:1234570:1234567,1234569' }

  expect(cursorOf({ is: 'caught up', seen })).toBe('mwgcsqo0-12d687-3-0-2')
})

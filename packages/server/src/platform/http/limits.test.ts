import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBuckets, createInFlight } from './limits.ts'

/** Buckets with a manual clock. */
function bucketsWithManualClock() {
  const time = { ms: 1_000 }
  return { time, buckets: createBuckets(() => time.ms) }
}

test('a bucket allows a burst, then as many as its refill rate', () => {
  const { time, buckets } = bucketsWithManualClock()
  const take = () => buckets.take('token', { perSecond: 10, burst: 20 })

  const burst = Array.from({ length: 21 }, take)

  expect(burst.filter(({ allowed }) => allowed)).toHaveLength(20)
  expect(burst.map(({ remaining }) => remaining).slice(0, 3)).toEqual([19, 18, 17])
  expect(burst.at(-1)).toEqual({ allowed: false, remaining: 0, waitSeconds: 1 })
  time.ms += 99
  expect(take()).toMatchObject({ allowed: false })
  time.ms += 1
  expect(take()).toEqual({ allowed: true, remaining: 0, waitSeconds: 0 })
  time.ms += 3_600_000
  expect(take()).toEqual({ allowed: true, remaining: 19, waitSeconds: 0 })
})

test('a client that waits as long as Retry-After says is allowed', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom(20 / 60, 10 / 60, 1, 50),
      fc.array(fc.nat(2_000), { maxLength: 60 }),
      (burst, perSecond, pauses) => {
        const { time, buckets } = bucketsWithManualClock()
        const take = () => buckets.take('token', { perSecond, burst })
        for (const pause of pauses) {
          time.ms += pause
          take()
        }
        let result = take()
        while (result.allowed) result = take()
        time.ms += result.waitSeconds * 1000
        expect(take().allowed).toBe(true)
      },
    ),
  )
})

test('no client gets more than the burst plus the refill', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { minLength: 1, maxLength: 300 }), (pauses) => {
      const { time, buckets } = bucketsWithManualClock()
      const startedMs = time.ms
      const allowed = pauses.filter((pause) => {
        time.ms += pause
        return buckets.take('token', { perSecond: 5, burst: 10 }).allowed
      })
      expect(allowed.length).toBeLessThanOrEqual(10 + ((time.ms - startedMs) / 1000) * 5)
    }),
  )
})

test('buckets are independent', () => {
  const { buckets } = bucketsWithManualClock()
  const limit = { perSecond: 1, burst: 1 }

  buckets.take('a', limit)

  expect(buckets.take('a', limit).allowed).toBe(false)
  expect(buckets.take('b', limit).allowed).toBe(true)
})

test('a flood of addresses does not refill the bucket of a client that keeps sending', () => {
  const { buckets } = bucketsWithManualClock()
  const limit = { perSecond: 0.001, burst: 1 }
  const allowed = Array.from({ length: 120_000 }, (_, address) => {
    buckets.take(`bad ${address}`, limit)
    return address % 1_000 === 0 ? buckets.take('token', limit).allowed : false
  }).filter(Boolean)

  expect(allowed).toHaveLength(1)
})

test('the number of buckets is limited', () => {
  const { buckets } = bucketsWithManualClock()
  for (let address = 0; address < 120_000; address += 1)
    buckets.take(`bad ${address}`, { perSecond: 1, burst: 1 })

  expect(buckets.size()).toBe(50_000)
})

test('requests in flight are counted per workspace, and releasing a request twice counts once', () => {
  const inFlight = createInFlight(2)
  const [first, second] = [inFlight.enter('a'), inFlight.enter('a')]

  expect(inFlight.enter('a')).toBeNull()
  expect(inFlight.enter('b')).not.toBeNull()
  first?.()
  first?.()
  expect(inFlight.enter('a')).not.toBeNull()
  expect(inFlight.enter('a')).toBeNull()
  second?.()
  expect(inFlight.enter('a')).not.toBeNull()
})

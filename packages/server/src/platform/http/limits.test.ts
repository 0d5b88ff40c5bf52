import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createBuckets, createInFlight } from './limits.ts'

/** Buckets and the clock they live by. */
function bucketsByHand() {
  const time = { ms: 1_000 }
  return { time, buckets: createBuckets(() => time.ms) }
}

test('a bucket lets a burst through, then as many as flow in', () => {
  const { time, buckets } = bucketsByHand()
  const take = () => buckets.take('token', { perSecond: 10, burst: 20 })

  const burst = Array.from({ length: 21 }, take)

  expect(burst.filter(({ allowed }) => allowed)).toHaveLength(20)
  expect(burst.map(({ left }) => left).slice(0, 3)).toEqual([19, 18, 17])
  expect(burst.at(-1)).toEqual({ allowed: false, left: 0, waitSeconds: 1 })
  time.ms += 99
  expect(take()).toMatchObject({ allowed: false })
  time.ms += 1
  expect(take()).toEqual({ allowed: true, left: 0, waitSeconds: 0 })
  time.ms += 3_600_000
  expect(take()).toEqual({ allowed: true, left: 19, waitSeconds: 0 })
})

test('whoever waits as long as told is let in', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 200 }),
      fc.constantFrom(20 / 60, 10 / 60, 1, 50),
      fc.array(fc.nat(2_000), { maxLength: 60 }),
      (burst, perSecond, pauses) => {
        const { time, buckets } = bucketsByHand()
        const take = () => buckets.take('token', { perSecond, burst })
        for (const pause of pauses) {
          time.ms += pause
          take()
        }
        let taken = take()
        while (taken.allowed) taken = take()
        time.ms += taken.waitSeconds * 1000
        expect(take().allowed).toBe(true)
      },
    ),
  )
})

test('nobody gets more than the burst and what flowed in', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(500), { minLength: 1, maxLength: 300 }), (pauses) => {
      const { time, buckets } = bucketsByHand()
      const startedMs = time.ms
      const allowed = pauses.filter((pause) => {
        time.ms += pause
        return buckets.take('token', { perSecond: 5, burst: 10 }).allowed
      })
      expect(allowed.length).toBeLessThanOrEqual(10 + ((time.ms - startedMs) / 1000) * 5)
    }),
  )
})

test('buckets do not know of one another', () => {
  const { buckets } = bucketsByHand()
  const one = { perSecond: 1, burst: 1 }

  buckets.take('a', one)

  expect(buckets.take('a', one).allowed).toBe(false)
  expect(buckets.take('b', one).allowed).toBe(true)
})

test('a flood of addresses does not refill the bucket of one that keeps asking', () => {
  const { buckets } = bucketsByHand()
  const one = { perSecond: 0.001, burst: 1 }
  const allowed = Array.from({ length: 120_000 }, (_, address) => {
    buckets.take(`bad ${address}`, one)
    return address % 1_000 === 0 ? buckets.take('token', one).allowed : false
  }).filter(Boolean)

  expect(allowed).toHaveLength(1)
})

test('the number of remembered buckets is bounded', () => {
  const { buckets } = bucketsByHand()
  for (let address = 0; address < 120_000; address += 1)
    buckets.take(`bad ${address}`, { perSecond: 1, burst: 1 })

  expect(buckets.size()).toBe(50_000)
})

test('requests under way are counted per workspace, and leaving twice counts once', () => {
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

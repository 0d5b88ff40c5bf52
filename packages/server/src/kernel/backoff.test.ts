import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffSeconds } from './backoff.ts'

const plans = fc.record({
  attempt: fc.integer({ min: 1, max: 10_000 }),
  baseSeconds: fc.double({ min: 0.001, max: 3600, noNaN: true }),
  capSeconds: fc.double({ min: 3600, max: 1_000_000, noNaN: true }),
})

test('a delay is at least half of the full delay, so never zero, and never exceeds the cap', () => {
  fc.assert(
    fc.property(plans, (plan) => {
      const full = Math.min(plan.capSeconds, plan.baseSeconds * 2 ** (plan.attempt - 1))
      const seconds = backoffSeconds(plan)
      expect(seconds).toBeGreaterThanOrEqual(full / 2)
      expect(seconds).toBeLessThanOrEqual(full)
      expect(seconds).toBeGreaterThan(0)
    }),
  )
})

test('with the same random number, a later attempt never waits less', () => {
  fc.assert(
    fc.property(plans, fc.double({ min: 0, max: 0.999, noNaN: true }), (plan, fraction) => {
      const random = () => fraction
      const next = backoffSeconds({ ...plan, attempt: plan.attempt + 1, random })
      expect(next).toBeGreaterThanOrEqual(backoffSeconds({ ...plan, random }))
    }),
  )
})

test('the delay doubles until it reaches the cap', () => {
  const delays = [1, 2, 3, 4, 5, 6, 2000].map((attempt) =>
    backoffSeconds({ attempt, baseSeconds: 0.5, capSeconds: 8, random: () => 0 }),
  )
  expect(delays).toEqual([0.25, 0.5, 1, 2, 4, 4, 4])
})

test('the retries of clients that failed at the same time are spread over half of the delay', () => {
  const plan = { attempt: 3, baseSeconds: 1, capSeconds: 60 }
  const delays = [0, 0.5, 0.75].map((fraction) => backoffSeconds({ ...plan, random: () => fraction }))
  expect(delays).toEqual([2, 3, 3.5])
})

test.each([
  { attempt: 0, baseSeconds: 1, capSeconds: 8 },
  { attempt: 1.5, baseSeconds: 1, capSeconds: 8 },
  { attempt: Number.NaN, baseSeconds: 1, capSeconds: 8 },
])('attempt $attempt fails an assertion', (plan) => {
  expect(() => backoffSeconds(plan)).toThrow('Attempts must be counted from 1')
})

test.each([
  { attempt: 1, baseSeconds: 0, capSeconds: 8 },
  { attempt: 1, baseSeconds: 9, capSeconds: 8 },
])('base $baseSeconds s with cap $capSeconds s fails an assertion', (plan) => {
  expect(() => backoffSeconds(plan)).toThrow('The base must be above zero')
})

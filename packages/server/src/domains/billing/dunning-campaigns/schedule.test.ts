import fc from 'fast-check'
import { expect, test } from 'vitest'
import { declineCodes, declineOf } from '../../../providers/declines.ts'
import { decideAfterFailure } from './decide.ts'
import { nextStep, planSteps } from './schedule.ts'

const terms = { retryDays: [1, 3, 6, 10, 15, 21, 27], localHour: 9, jitterMinutes: 0 }
const monthly = { unit: 'month', count: 1 } as const
const failedAt = new Date('2027-03-01T14:30:00.000Z')
const daysOf = (steps: readonly { dueAt: Date }[]) =>
  steps.map(({ dueAt }) => dueAt.toISOString().slice(5, 10))

test('a failure on the first of March is retried on seven days of that month', () => {
  const steps = planSteps(terms, { failedAt, interval: monthly, key: 'k' })
  expect(daysOf(steps)).toEqual(['03-02', '03-04', '03-07', '03-11', '03-16', '03-22', '03-28'])
  expect(steps.every(({ dueAt }) => dueAt.getUTCHours() === 9)).toBe(true)
})

test('a campaign lasts at most two periods', () => {
  const weekly = planSteps(terms, { failedAt, interval: { unit: 'week', count: 1 }, key: 'k' })
  expect(daysOf(weekly)).toEqual(['03-02', '03-04', '03-07', '03-11', '03-15'])
  const daily = planSteps(terms, { failedAt, interval: { unit: 'day', count: 1 }, key: 'k' })
  expect(daysOf(daily)).toEqual(['03-02', '03-03'])
})

test('retries of different campaigns are spread around the hour, and each schedule is deterministic', () => {
  const input = { failedAt, interval: monthly }
  const plan = (key: string) => planSteps({ ...terms, jitterMinutes: 30 }, { ...input, key })
  const times = Array.from({ length: 200 }, (_, n) => plan(`campaign ${n}`)[0]?.dueAt.getTime() ?? 0)
  expect(plan('campaign 0')).toEqual(plan('campaign 0'))
  expect(new Set(times).size).toBeGreaterThan(150)
  expect(Math.min(...times)).toBeGreaterThanOrEqual(Date.parse('2027-03-02T08:30:00Z'))
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.parse('2027-03-02T09:30:00Z'))
})

test('after insufficient funds the next attempt is moved to a nearby payday, but never past the last planned attempt', () => {
  const steps = planSteps(terms, { failedAt, interval: monthly, key: 'k' })
  const afterFirstRetry = steps.map((step, n) => (n < 1 ? { ...step, attemptedAt: step.dueAt } : step))
  const failure = { code: 'insufficient_funds', at: new Date('2027-03-02T09:00:00.000Z') }
  // 4 March 2027 is a Thursday.
  expect(nextStep(afterFirstRetry, failure)?.step).toMatchObject({
    dueAt: new Date('2027-03-05T09:00:00.000Z'),
    moved: 'payday',
  })
  expect(nextStep(afterFirstRetry, { ...failure, code: 'do_not_honor' })?.step.moved).toBe(null)
})

test('attempts are at least twenty hours apart', () => {
  const steps = planSteps(terms, { failedAt, interval: monthly, key: 'k' })
  const failure = { code: 'do_not_honor', at: new Date('2027-03-02T02:00:00.000Z') }
  expect(nextStep(steps, failure)?.step).toMatchObject({
    dueAt: new Date('2027-03-02T22:00:00.000Z'),
    moved: 'too_soon',
  })
})

test.each(declineCodes.map((code) => [code, declineOf(code).later] as const))(
  'after %s another attempt is made only if the decline table allows it (%s)',
  (code, later) => {
    const steps = planSteps(terms, { failedAt, interval: monthly, key: 'k' })
    const next = decideAfterFailure(steps, { code, at: failedAt, paymentId: null }, later, true)
    const expected = { yes: 'retry', after_window: 'retry', no: 'wait', new_card: 'wait', payer: 'wait' }[
      later
    ]
    expect(next.kind).toBe(expected)
  },
)

test('every campaign ends, retries are in chronological order, and there are never more than planned', () => {
  const code = fc.constantFrom(
    'do_not_honor',
    'insufficient_funds',
    'issuer_unavailable',
    'retry_limit_reached',
  )
  const interval = fc.record({
    unit: fc.constantFrom('day', 'week', 'month', 'year'),
    count: fc.integer({ min: 1, max: 3 }),
  })
  fc.assert(
    fc.property(
      fc.array(code, { minLength: 20, maxLength: 20 }),
      interval,
      fc.integer({ min: 0, max: 86_400 * 365 }),
      (codes, chosenInterval, offset) => {
        const firstFailureAt = new Date(failedAt.getTime() + offset * 1000)
        let steps = planSteps(terms, {
          failedAt: firstFailureAt,
          interval: chosenInterval as typeof monthly,
          key: `${offset}`,
        })
        const lastPlannedAt = steps.at(-1)?.plannedAt as Date
        let at = firstFailureAt
        for (const [count, reason] of codes.entries()) {
          const next = decideAfterFailure(
            steps,
            { code: reason, at, paymentId: null },
            declineOf(reason).later,
            count === 0,
          )
          if (next.kind !== 'retry') {
            expect(next.kind).toBe('exhausted')
            expect(count).toBe(steps.length)
            return
          }
          expect(next.at.getTime() - at.getTime()).toBeGreaterThanOrEqual(20 * 3_600_000)
          // Only the minimum time between attempts may move an attempt past the planned end.
          if (next.at > lastPlannedAt) expect(next.at.getTime() - at.getTime()).toBe(20 * 3_600_000)
          at = next.at
          steps = [...next.steps]
        }
        expect.unreachable('The campaign did not end.')
      },
    ),
    { numRuns: 500 },
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { declineCodes, declineOf } from '../../providers/declines.ts'
import { afterFailure } from './decide.ts'
import { nextStep, planSteps } from './schedule.ts'

const usual = { retryDays: [1, 3, 6, 10, 15, 21, 27], localHour: 9, jitterMinutes: 0 }
const monthly = { unit: 'month', count: 1 } as const
const failedAt = new Date('2027-03-01T14:30:00.000Z')
const daysOf = (steps: readonly { dueAt: Date }[]) =>
  steps.map(({ dueAt }) => dueAt.toISOString().slice(5, 10))

test('a failure on the first of March is tried again on seven days of that month', () => {
  const steps = planSteps(usual, { failedAt, interval: monthly, key: 'k' })
  expect(daysOf(steps)).toEqual(['03-02', '03-04', '03-07', '03-11', '03-16', '03-22', '03-28'])
  expect(steps.every(({ dueAt }) => dueAt.getUTCHours() === 9)).toBe(true)
})

test('a campaign ends with the second period after it', () => {
  const weekly = planSteps(usual, { failedAt, interval: { unit: 'week', count: 1 }, key: 'k' })
  expect(daysOf(weekly)).toEqual(['03-02', '03-04', '03-07', '03-11', '03-15'])
  const daily = planSteps(usual, { failedAt, interval: { unit: 'day', count: 1 }, key: 'k' })
  expect(daysOf(daily)).toEqual(['03-02', '03-03'])
})

test('tries of many campaigns spread around the hour, and those of one are the same each time', () => {
  const beginning = { failedAt, interval: monthly }
  const plan = (key: string) => planSteps({ ...usual, jitterMinutes: 30 }, { ...beginning, key })
  const times = Array.from({ length: 200 }, (_, n) => plan(`campaign ${n}`)[0]?.dueAt.getTime() ?? 0)
  expect(plan('campaign 0')).toEqual(plan('campaign 0'))
  expect(new Set(times).size).toBeGreaterThan(150)
  expect(Math.min(...times)).toBeGreaterThanOrEqual(Date.parse('2027-03-02T08:30:00Z'))
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.parse('2027-03-02T09:30:00Z'))
})

test('who had too little money is asked on a payday that is near, but never after the last try', () => {
  const steps = planSteps(usual, { failedAt, interval: monthly, key: 'k' })
  const tried = steps.map((step, n) => (n < 1 ? { ...step, attemptedAt: step.dueAt } : step))
  const failed = { code: 'insufficient_funds', at: new Date('2027-03-02T09:00:00.000Z') }
  // The fourth of March 2027 is a Thursday.
  expect(nextStep(tried, failed)?.step).toMatchObject({
    dueAt: new Date('2027-03-05T09:00:00.000Z'),
    moved: 'payday',
  })
  expect(nextStep(tried, { ...failed, code: 'do_not_honor' })?.step.moved).toBe(null)
})

test('between two tries lie twenty hours', () => {
  const steps = planSteps(usual, { failedAt, interval: monthly, key: 'k' })
  const late = { code: 'do_not_honor', at: new Date('2027-03-02T02:00:00.000Z') }
  expect(nextStep(steps, late)?.step).toMatchObject({
    dueAt: new Date('2027-03-02T22:00:00.000Z'),
    moved: 'too_soon',
  })
})

test.each(declineCodes.map((code) => [code, declineOf(code).later] as const))(
  'after %s (%s) only what may be tried is tried',
  (code, later) => {
    const steps = planSteps(usual, { failedAt, interval: monthly, key: 'k' })
    const next = afterFailure(steps, { code, at: failedAt, paymentId: null }, later, true)
    const expected = { yes: 'try', after_window: 'try', no: 'wait', new_card: 'wait', payer: 'wait' }[later]
    expect(next.is).toBe(expected)
  },
)

test('whatever fails, a campaign ends, tries go forward, and there are never more than planned', () => {
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
      (codes, every, offset) => {
        const began = new Date(failedAt.getTime() + offset * 1000)
        let steps = planSteps(usual, { failedAt: began, interval: every as typeof monthly, key: `${offset}` })
        const last = steps.at(-1)?.plannedAt as Date
        let at = began
        for (const [count, reason] of codes.entries()) {
          const next = afterFailure(
            steps,
            { code: reason, at, paymentId: null },
            declineOf(reason).later,
            count === 0,
          )
          if (next.is !== 'try') {
            expect(next.is).toBe('exhausted')
            expect(count).toBe(steps.length)
            return
          }
          expect(next.at.getTime() - at.getTime()).toBeGreaterThanOrEqual(20 * 3_600_000)
          // Only the rest between two tries may lead behind the planned end.
          if (next.at > last) expect(next.at.getTime() - at.getTime()).toBe(20 * 3_600_000)
          at = next.at
          steps = [...next.steps]
        }
        expect.unreachable('A campaign has an end.')
      },
    ),
    { numRuns: 500 },
  )
})

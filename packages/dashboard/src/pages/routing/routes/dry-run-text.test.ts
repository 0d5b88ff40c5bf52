import { expect, test } from 'vitest'
import {
  approvalText,
  beforeAfter,
  costDetails,
  costSentence,
  type Result,
  settledCostDetails,
  settledCostSentence,
  shareText,
  unrouted,
} from './dry-run-text.ts'

const unknown = { rated_payments: 0, expected: null }
const move = (from: string | null, to: string | null, payments: number) => ({
  from_provider_account_id: from,
  to_provider_account_id: to,
  payments,
  approvals: unknown,
})
const result: Result = {
  payments: 100,
  elsewhere: 30,
  approvals: { rated_payments: 118, expected: { change: -3.4, low: -7.6, high: 0.8 } },
  moves: [move('one', 'two', 20), move('one', null, 10)],
  costs: [],
  settled_costs: [],
  rates: [],
  examples: [],
}

test('before and after have the same number of payments', () => {
  const { before, after } = beforeAfter(result, (id) => id)
  const total = (segments: typeof before) => segments.reduce((sum, { payments }) => sum + payments, 0)
  expect([total(before), total(after)]).toEqual([100, 100])
  expect(before).toContainEqual({ name: 'one', payments: 30 })
  expect(after).toContainEqual({ name: 'no provider', payments: 10 })
})

test('payments without a provider are counted', () => {
  expect(unrouted(result)).toBe(10)
})

test('expected approvals are shown with their range and sample size, or as unknown without data', () => {
  expect(approvalText(result.approvals)).toBe('3.4 fewer approved (−7.6 to +0.8), n = 118')
  expect(approvalText(unknown)).toBe('not enough data')
  expect(shareText(1262, 5560)).toBe('22.7%')
})

test('estimated costs are shown as a sentence by currency', () => {
  const cost = {
    currency: 'eur',
    payments: 120,
    unknown_payments: 3,
    actual_amount: 1824,
    simulated_amount: 1412,
    change: -412,
  }
  expect(costSentence(cost)).toBe('This route would have cost €4.12 less.')
  expect(costSentence({ ...cost, change: 1, currency: 'jpy' })).toBe('This route would have cost ¥1 more.')
  expect(costSentence({ ...cost, change: 0 })).toBe('This route would have cost the same in EUR.')
  expect(costDetails(cost)).toBe(
    'Estimated at €14.12 instead of €18.24, for 120 payments. The cost of 3 payments is unknown.',
  )
  expect(costDetails({ ...cost, payments: 1, unknown_payments: 0 })).toBe(
    'Estimated at €14.12 instead of €18.24, for 1 payment.',
  )
})

test('settled costs are shown now and with the new route, with the share of payments that they cover', () => {
  const cost = {
    currency: 'eur',
    payments: 5_160,
    covered_payments: 4_810,
    actual_amount: 120_410,
    simulated_amount: 118_770,
    simulated_low: 118_000,
    simulated_high: 119_540,
  }
  expect(settledCostSentence(cost)).toBe('Cost now: €1,204.10. With this route: €1,180.00 to €1,195.40.')
  expect(settledCostDetails(cost)).toBe('Covers 93.2% of 5,160 payments.')
  const exact = { ...cost, simulated_low: 118_770, simulated_high: 118_770 }
  expect(settledCostSentence(exact)).toBe('Cost now: €1,204.10. With this route: €1,187.70.')
  const unknownCost = {
    ...cost,
    covered_payments: 0,
    actual_amount: null,
    simulated_amount: null,
    simulated_low: null,
    simulated_high: null,
  }
  expect(settledCostSentence(unknownCost)).toBe('The cost of payments in EUR is unknown.')
  expect(settledCostDetails(unknownCost)).toBe(
    'Not enough settlement data for 5,160 payments: each account needs at least 200 settled payments of the same kind.',
  )
})

import { expect, test } from 'vitest'
import { isSubscribed } from './installation.ts'
import { findDoubledPayments } from './verify.ts'

const payment = { kind: 'payment', id: 'payment_1' } as const
const refund = { kind: 'refund', id: 'refund_1' } as const

test('the number of payments and refunds must equal the number that was acknowledged', () => {
  expect(findDoubledPayments({ payments: 1, refunds: 1 }, [payment, refund], 0)).toEqual([])
})

test('an extra or a missing payment is reported', () => {
  expect(findDoubledPayments({ payments: 2, refunds: 0 }, [payment], 0)).toEqual([
    'There are 2 objects of kind payment; 1 were acknowledged and 0 failed.',
  ])
  expect(findDoubledPayments({ payments: 0, refunds: 0 }, [payment], 0)).toHaveLength(1)
})

test('a failed request may have created a payment, but not two', () => {
  expect(findDoubledPayments({ payments: 2, refunds: 0 }, [payment], 1)).toEqual([])
  expect(findDoubledPayments({ payments: 3, refunds: 0 }, [payment], 1)).toHaveLength(1)
})

test('two responses with the same payment id count as one payment', () => {
  expect(findDoubledPayments({ payments: 2, refunds: 0 }, [payment, payment], 0)).toHaveLength(1)
})

// biome-ignore format: a table.
test.each([
  [['*'],             'payment.created', true],
  [['payment.*'],     'payment.created', true],
  [['payment.*'],     'payment_method.created', false],
  [['invoice.paid'],  'invoice.paid',    true],
  [['invoice.paid'],  'invoice.created', false],
])('an endpoint for %s receives %s: %s', (patterns, type, expected) => {
  expect(isSubscribed(patterns, type)).toBe(expected)
})

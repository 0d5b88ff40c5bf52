import { expect, test } from 'vitest'
import type { Condition } from './definition.ts'
import { holds } from './holds.ts'

const payment = { amount: 1299, currency: 'eur', 'card.country': 'DE', 'card.bin': '424242' }
const on = (field: string, op: string, value: unknown) => ({ field, op, value }) as Condition

test('every operator compares as the API does', () => {
  const met = [
    on('currency', 'eq', 'eur'),
    on('currency', 'ne', 'usd'),
    on('card.country', 'in', ['DE', 'AT']),
    on('card.country', 'not_in', ['US']),
    on('amount', 'lt', 1300),
    on('amount', 'lte', 1299),
    on('amount', 'gt', 1298),
    on('amount', 'gte', 1299),
    on('amount', 'between', [1299, 1300]),
    on('card.bin', 'starts_with', '42'),
    on('card.funding', 'exists', false),
  ]
  for (const condition of met) {
    expect(holds(condition, payment), JSON.stringify(condition)).toBe(true)
    expect(holds({ not: condition }, payment)).toBe(false)
  }
})

test('what a payment does not have is neither equal nor unequal to anything', () => {
  for (const op of ['eq', 'ne']) expect(holds(on('card.funding', op, 'debit'), payment)).toBe(false)
  expect(holds(on('card.funding', 'not_in', ['debit']), { ...payment, 'card.funding': null })).toBe(false)
})

test('groups combine, and an empty one matches everything', () => {
  const [yes, no] = [on('currency', 'eq', 'eur'), on('currency', 'eq', 'usd')]
  expect(holds({ all: [] }, payment)).toBe(true)
  expect(holds({ all: [yes, no] }, payment)).toBe(false)
  expect(holds({ any: [yes, no] }, payment)).toBe(true)
})

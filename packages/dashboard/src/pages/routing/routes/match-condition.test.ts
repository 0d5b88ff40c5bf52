import { expect, test } from 'vitest'
import type { Condition } from './definition.ts'
import { matches } from './match-condition.ts'

const payment = { amount: 1299, currency: 'eur', 'card.country': 'DE', 'card.bin': '424242' }
const leaf = (field: string, op: string, value: unknown) => ({ field, op, value }) as Condition

test('every operator compares like the API', () => {
  const matching = [
    leaf('currency', 'eq', 'eur'),
    leaf('currency', 'ne', 'usd'),
    leaf('card.country', 'in', ['DE', 'AT']),
    leaf('card.country', 'not_in', ['US']),
    leaf('amount', 'lt', 1300),
    leaf('amount', 'lte', 1299),
    leaf('amount', 'gt', 1298),
    leaf('amount', 'gte', 1299),
    leaf('amount', 'between', [1299, 1300]),
    leaf('card.bin', 'starts_with', '42'),
    leaf('card.funding', 'exists', false),
  ]
  for (const condition of matching) {
    expect(matches(condition, payment), JSON.stringify(condition)).toBe(true)
    expect(matches({ not: condition }, payment)).toBe(false)
  }
})

test('a missing value is neither equal nor unequal to anything', () => {
  for (const op of ['eq', 'ne']) expect(matches(leaf('card.funding', op, 'debit'), payment)).toBe(false)
  expect(matches(leaf('card.funding', 'not_in', ['debit']), { ...payment, 'card.funding': null })).toBe(false)
})

test('all and any combine conditions, and an empty group matches every payment', () => {
  const [yes, no] = [leaf('currency', 'eq', 'eur'), leaf('currency', 'eq', 'usd')]
  expect(matches({ all: [] }, payment)).toBe(true)
  expect(matches({ all: [yes, no] }, payment)).toBe(false)
  expect(matches({ any: [yes, no] }, payment)).toBe(true)
})

import { expect, test } from 'vitest'
import { actionText, thenParts, whenParts } from './condition-text.ts'
import type { Condition } from './definition.ts'

const nameOf = (id: string) => ({ one: 'Adyen', two: 'Stripe' })[id] ?? id
const sentence = (condition: Condition) =>
  whenParts(condition, '/rules/0/when', nameOf)
    .map(({ text, chip }) => (chip === undefined ? text : `[${text}]`))
    .join(' ')

test('conditions are shown as a sentence, and an amount as money if its currency is fixed', () => {
  const all = [
    { field: 'currency', op: 'eq', value: 'eur' },
    { field: 'amount', op: 'gt', value: 100_000 },
  ]
  expect(sentence({ all })).toBe('When [currency is EUR] and [amount is over €1,000.00]')
  expect(sentence(all[1] as Condition)).toBe('When [amount is over 100,000]')
})

test('an estimated cost is shown with its account, and an order by cost with its accounts', () => {
  const cost = { field: 'estimated_cost.two', op: 'gt', value: 150 }
  const euros = { field: 'currency', op: 'eq', value: 'eur' }
  expect(sentence({ all: [euros, cost] })).toBe(
    'When [currency is EUR] and [estimated cost at Stripe is over €1.50]',
  )
  const action = { type: 'priority' as const, targets: ['one', 'two'], order_by: 'estimated_cost' as const }
  expect(actionText(action, nameOf)).toBe('the cheapest of Adyen Stripe')
})

test('nested conditions are in brackets, long lists are shown as a count, and no conditions means always', () => {
  const country = { field: 'card.country', op: 'in', value: ['DE', 'AT', 'CH', 'FR', 'IT'] }
  const funding = { field: 'card.funding', op: 'exists', value: false }
  expect(sentence({ all: [{ any: [country, funding] }, { not: country }] })).toBe(
    'When ( [card country is one of 5 values] or [card funding is not set] ) and not [card country is one of 5 values]',
  )
  expect(sentence({ all: [] })).toBe('Always')
})

test('each condition has its JSON pointer in the route', () => {
  const parts = whenParts(
    { any: [{ not: { field: 'currency', op: 'eq', value: 'eur' } }] },
    '/rules/3/when',
    nameOf,
  )
  expect(parts.find(({ chip }) => chip === 'condition')?.pointer).toBe('/rules/3/when/any/0/not')
})

test('actions show the accounts in order, the percentages of a split, and declines', () => {
  expect(actionText({ type: 'priority', targets: ['one', 'two'] }, nameOf)).toBe('Adyen then Stripe')
  const split = {
    type: 'split' as const,
    targets: [
      { provider_account_id: 'two', weight: 70 },
      { provider_account_id: 'one', weight: 30 },
    ],
    fallback: ['three'],
  }
  expect(actionText(split, nameOf)).toBe('Stripe 70% Adyen 30% then three')
  expect(thenParts({ type: 'decline' }, nameOf)).toEqual([{ text: 'decline the payment' }])
})

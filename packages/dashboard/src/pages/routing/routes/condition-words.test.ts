import { expect, test } from 'vitest'
import { actionText, thenParts, whenParts } from './condition-words.ts'
import type { Condition } from './definition.ts'

const nameOf = (id: string) => ({ one: 'Adyen', two: 'Stripe' })[id] ?? id
const sentence = (condition: Condition) =>
  whenParts(condition, '/rules/0/when', nameOf)
    .map(({ text, chip }) => (chip === undefined ? text : `[${text}]`))
    .join(' ')

test('conditions are a sentence, and an amount beside its currency is money', () => {
  const all = [
    { field: 'currency', op: 'eq', value: 'eur' },
    { field: 'amount', op: 'gt', value: 100_000 },
  ]
  expect(sentence({ all })).toBe('When [currency is EUR] and [amount is over €1,000.00]')
  expect(sentence(all[1] as Condition)).toBe('When [amount is over 100,000]')
})

test('nesting shows in brackets, long lists are counted, and nothing to ask is always', () => {
  const country = { field: 'card.country', op: 'in', value: ['DE', 'AT', 'CH', 'FR', 'IT'] }
  const funding = { field: 'card.funding', op: 'exists', value: false }
  expect(sentence({ all: [{ any: [country, funding] }, { not: country }] })).toBe(
    'When ( [card country is one of 5] or [card funding is not known] ) and not [card country is one of 5]',
  )
  expect(sentence({ all: [] })).toBe('Always')
})

test('each condition knows its place in the route', () => {
  const parts = whenParts(
    { any: [{ not: { field: 'currency', op: 'eq', value: 'eur' } }] },
    '/rules/3/when',
    nameOf,
  )
  expect(parts.find(({ chip }) => chip === 'condition')?.pointer).toBe('/rules/3/when/any/0/not')
})

test('actions name accounts in order, shares in percent, and a decline', () => {
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
  expect(thenParts({ type: 'decline' }, nameOf)).toEqual([{ text: 'decline it' }])
})

import { expect, test } from 'vitest'
import { idFromUuid, idMaker } from '../../kernel/id.ts'
import { meaningOf } from './query.ts'

const uuid = idMaker(new Date('2026-11-14T12:00:00.000Z'), 7)()
const payment = idFromUuid('payment', 'test', uuid)

test('an id is one object, and the beginning of one a short stretch of them', () => {
  expect(meaningOf(` ${payment} `, 'test')).toMatchObject({
    ids: { kind: 'payment', from: uuid, to: uuid },
    word: null,
  })
  const begun = meaningOf(payment.slice(0, -4), 'test').ids
  expect(begun?.kind).toBe('payment')
  expect([begun?.from, uuid, begun?.to].toSorted()).toEqual([begun?.from, uuid, begun?.to])
  expect(begun?.from.slice(0, -5)).toBe(uuid.slice(0, -5))
})

test('what we call a payment at a provider is that payment', () => {
  expect(meaningOf(`${payment.slice(-26)}-3`, 'test').ids).toEqual({ kind: 'payment', from: uuid, to: uuid })
})

test.each([
  ['an id of the other mode', payment.replace('_test_', '_')],
  ['a token, which not everybody may read', idFromUuid('api_token', 'test', uuid)],
  ['too little of an id', payment.slice(0, 'payment_test_'.length + 5)],
])('%s is only a word', (_, text) => {
  expect(meaningOf(text, 'test')).toMatchObject({ ids: null, word: text })
})

// biome-ignore format: a table.
test.each([
  ['4242 40.00',     'with two places',                 { amount: 4000n, currency: 'eur' }],
  ['4242 40,00',     'with a comma',                    { amount: 4000n, currency: 'eur' }],
  ['4242 40',        'without places',                  { amount: 4000n, currency: 'usd' }],
  ['4242 40',        'of a currency that has none',     { amount: 40n, currency: 'jpy' }],
  ['4242 40.00',     'of a currency that has three',    { amount: 40000n, currency: 'kwd' }],
  ['4242 40.00 EUR', 'with its currency',               { amount: 4000n, currency: 'eur' }],
] as const)('%s is a card with an amount, %s', (text, _, { amount, currency }) => {
  const { card } = meaningOf(text, 'test')

  expect(card?.last4).toBe('4242')
  expect(card?.amounts.get(amount)).toContain(currency)
})

test('with a currency only that one is meant, and more places than it has mean none', () => {
  expect([...(meaningOf('4242 40.00 eur', 'test').card?.amounts ?? [])]).toEqual([[4000n, ['eur']]])
  expect([...(meaningOf('4242 40.005 eur', 'test').card?.amounts ?? [])]).toEqual([])
  expect(meaningOf('4242', 'test').card).toBeNull()
})

test('an e-mail address may also be what an order is called', () => {
  expect(meaningOf('ada@example.com', 'test')).toMatchObject({
    email: 'ada@example.com',
    word: 'ada@example.com',
  })
  expect(meaningOf('   ', 'test')).toEqual({ ids: null, email: null, word: null, card: null })
})

import { expect, test } from 'vitest'
import { idFromUuid, idMaker } from '../../../kernel/id.ts'
import { parseSearch } from './query.ts'

const uuid = idMaker(new Date('2026-11-14T12:00:00.000Z'), 7)()
const payment = idFromUuid('payment', 'test', uuid)

test('an id matches one object, and the start of an id matches a range of ids', () => {
  expect(parseSearch(` ${payment} `, 'test')).toMatchObject({
    ids: { kind: 'payment', from: uuid, to: uuid },
    text: null,
  })
  const range = parseSearch(payment.slice(0, -4), 'test').ids
  expect(range?.kind).toBe('payment')
  expect([range?.from, uuid, range?.to].toSorted()).toEqual([range?.from, uuid, range?.to])
  expect(range?.from.slice(0, -5)).toBe(uuid.slice(0, -5))
})

test('the reference of an operation at a provider matches its payment', () => {
  expect(parseSearch(`${payment.slice(-26)}-3`, 'test').ids).toEqual({
    kind: 'payment',
    from: uuid,
    to: uuid,
  })
})

test.each([
  ['an id of the other mode', payment.replace('_test_', '_')],
  ['an API token, which not every role can read', idFromUuid('api_token', 'test', uuid)],
  ['too few characters of an id', payment.slice(0, 'payment_test_'.length + 5)],
])('%s is searched as text, not as an id', (_, text) => {
  expect(parseSearch(text, 'test')).toMatchObject({ ids: null, text })
})

// biome-ignore format: a table.
test.each([
  ['4242 40.00',     'with two decimal places',                 { amount: 4000n, currency: 'eur' }],
  ['4242 40,00',     'with a comma',                            { amount: 4000n, currency: 'eur' }],
  ['4242 40',        'without decimal places',                  { amount: 4000n, currency: 'usd' }],
  ['4242 40',        'in a currency without decimal places',    { amount: 40n, currency: 'jpy' }],
  ['4242 40.00',     'in a currency with three decimal places', { amount: 40000n, currency: 'kwd' }],
  ['4242 40.00 EUR', 'with a currency code',                    { amount: 4000n, currency: 'eur' }],
] as const)('%s is a card with an amount, %s', (text, _, { amount, currency }) => {
  const { card } = parseSearch(text, 'test')

  expect(card?.last4).toBe('4242')
  expect(card?.amounts?.get(amount)).toContain(currency)
})

test('an amount with a currency code matches only that currency, and none if it has too many decimal places', () => {
  expect([...(parseSearch('4242 40.00 eur', 'test').card?.amounts ?? [])]).toEqual([[4000n, ['eur']]])
  expect([...(parseSearch('4242 40.005 eur', 'test').card?.amounts ?? [])]).toEqual([])
})

test('four digits match a card with any amount, and also an order number', () => {
  expect(parseSearch('4242', 'test')).toEqual({
    ids: null,
    text: '4242',
    card: { last4: '4242', amounts: null },
  })
  expect(parseSearch('42421', 'test').card).toBeNull()
})

test('a query that consists of spaces matches nothing', () => {
  expect(parseSearch('   ', 'test')).toEqual({ ids: null, text: null, card: null })
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CustomerBody, CustomerObject } from '../../domains/customers/schema.ts'
import { redact, redactPath } from './redact.ts'

const struckOut = '[redacted]'
const Shape = {
  type: 'object',
  properties: {
    kind: { type: 'string', enum: ['card', 'bank'] },
    object: { const: 'thing', type: 'string' },
    amount: { type: 'integer' },
    ratio: { type: ['number', 'null'] },
    paid: { type: 'boolean' },
    customer_id: { type: 'string', loggable: true },
    due_at: { type: ['string', 'null'], format: 'date-time' },
    note: { type: 'string' },
    lines: { type: 'array', items: { type: 'object', properties: { count: { type: 'integer' } } } },
    choice: { anyOf: [{ type: 'null' }, { type: 'object', properties: { count: { type: 'integer' } } }] },
  },
}

test('words of closed lists, numbers, times and ids stay; what a caller typed is struck out', () => {
  const body = {
    kind: 'card',
    object: 'thing',
    amount: 1999,
    ratio: 0.5,
    paid: true,
    customer_id: 'customer_test_01M7CYVGQTEAKSNTBFR026MPQ1',
    due_at: '2026-11-14T12:00:00.000Z',
    note: 'for Ada',
    lines: [{ count: 1 }, { count: 2 }],
    choice: { count: 3 },
  }

  expect(redact(Shape, body)).toEqual({ ...body, note: struckOut })
})

test('a customer is struck out but for its id, its times and the word that names it', () => {
  const id = 'customer_test_01M7CYVGQTEAKSNTBFR026MPQ1'
  const at = '2026-11-14T12:00:00.000Z'
  const customer = {
    id,
    object: 'customer',
    name: 'Ada',
    metadata: { secret: 'x' },
    address: null,
    created_at: at,
  }

  expect(redact(CustomerObject, customer)).toEqual({
    id,
    object: 'customer',
    name: struckOut,
    metadata: struckOut,
    address: null,
    created_at: at,
  })
})

// A refused body is logged too, and then its members need not be what the schema says.
test.each([
  ['a word that is not on the list', { kind: '4242424242424242' }],
  ['a text in the place of a time', { due_at: 'ada@example.com' }],
  ['a time with something behind it', { due_at: '2026-11-14T12:00:00Z 4242424242424242' }],
  ['a card number in the place of an id', { customer_id: '4242424242424242' }],
  ['an e-mail address in the place of an id', { customer_id: 'ada@example.com' }],
  ['a token in the place of an id', { customer_id: 'sk_test_0123456789abcdefghij' }],
  ['a text in the place of an id', { customer_id: 'Ada Lovelace' }],
  ['a number in the place of a text', { note: 424242 }],
  ['a card number as an amount', { amount: 4242424242424242 }],
  ['a number in a member that nobody declared', { card: 4242424242424242 }],
  ['a text in the place of a list', { lines: 'ada@example.com' }],
  ['a text in the place of an object', { choice: 'ada@example.com' }],
])('%s is struck out', (_, body) => {
  expect(Object.values(redact(Shape, body) as object)).toEqual([struckOut])
})

test('the names of members that nobody declared are struck out with them', () => {
  expect(redact(Shape, { amount: 1, 'ada@example.com': 1, '4242424242424242': true })).toEqual({
    amount: 1,
    [struckOut]: struckOut,
  })
})

test('members that every object inherits are not declared', () => {
  expect(redact(Shape, { constructor: 'x', toString: 1 })).toEqual({ [struckOut]: struckOut })
})

test('a planted text never comes through, wherever it stands', () => {
  const planted = fc.constantFrom(
    'sk_test_planted',
    'ada@planted.example',
    '4242424242424242',
    4242424242424242,
  )
  const names = fc.constantFrom(...Object.keys(CustomerBody.properties), 'card', 'id', 'created_at')
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      planted,
      fc.dictionary(names, tie('node'), { maxKeys: 4 }),
      fc.array(tie('node'), { maxLength: 3 }),
    ),
  })).node
  fc.assert(
    fc.property(tree, (body) => {
      for (const schema of [CustomerBody, CustomerObject, Shape, {}])
        expect(JSON.stringify(redact(schema, body))).not.toMatch(/planted|4242/)
    }),
    { numRuns: 500 },
  )
})

test('of a path the words of the route and ids stay', () => {
  const id = 'customer_test_01M7CYVGQTEAKSNTBFR026MPQ1'

  expect(redactPath('/customers/:customer_id', `/customers/${id}`)).toBe(`/customers/${id}`)
  expect(redactPath('/customers/:customer_id', `/customers/${id.toLowerCase()}/`)).toBe(
    `/customers/${id.toLowerCase()}`,
  )
  expect(redactPath('/customers', '/customers/')).toBe('/customers')
  for (const typed of [
    'ada@example.com',
    'ada%40example.com',
    '4242424242424242',
    'sk_test_0123456789abcdef',
  ])
    expect(redactPath('/customers/:customer_id', `/customers/${typed}`)).toBe(`/customers/${struckOut}`)
})

test('what is marked as not loggable is hidden with all it holds', () => {
  const card = { type: 'object', loggable: false, properties: { exp_month: { type: 'integer' } } }
  const schema = { type: 'object', properties: { card, count: { type: 'integer', loggable: false } } }

  expect(redact(schema, { card: { exp_month: 12 }, count: 3 })).toEqual({ card: struckOut, count: struckOut })
  expect(redact(schema, { card: [12], count: null })).toEqual({ card: struckOut, count: null })
})

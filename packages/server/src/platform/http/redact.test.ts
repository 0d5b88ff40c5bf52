import fc from 'fast-check'
import { expect, test } from 'vitest'
import { CustomerBody, CustomerObject } from '../../domains/payments/customers/schema.ts'
import { redact, redactPath } from './redact.ts'

const redacted = '[redacted]'
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

test('enum values, numbers, times and ids are kept; free text is redacted', () => {
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

  expect(redact(Shape, body)).toEqual({ ...body, note: redacted })
})

test('a customer is redacted except for its id, its times and its object name', () => {
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
    name: redacted,
    metadata: redacted,
    address: null,
    created_at: at,
  })
})

// Rejected bodies are logged too, and their members need not match the schema.
test.each([
  ['a value that is not in the enum', { kind: '4242424242424242' }],
  ['a string instead of a time', { due_at: 'ada@example.com' }],
  ['a time followed by other text', { due_at: '2026-11-14T12:00:00Z 4242424242424242' }],
  ['a card number instead of an id', { customer_id: '4242424242424242' }],
  ['an e-mail address instead of an id', { customer_id: 'ada@example.com' }],
  ['a token instead of an id', { customer_id: 'sk_test_0123456789abcdefghij' }],
  ['a string instead of an id', { customer_id: 'Ada Lovelace' }],
  ['a number instead of a string', { note: 424242 }],
  ['a card number as an amount', { amount: 4242424242424242 }],
  ['a number in an undeclared member', { card: 4242424242424242 }],
  ['a string instead of a list', { lines: 'ada@example.com' }],
  ['a string instead of an object', { choice: 'ada@example.com' }],
])('%s is redacted', (_, body) => {
  expect(Object.values(redact(Shape, body) as object)).toEqual([redacted])
})

test('undeclared members are redacted together with their names', () => {
  expect(redact(Shape, { amount: 1, 'ada@example.com': 1, '4242424242424242': true })).toEqual({
    amount: 1,
    [redacted]: redacted,
  })
})

test('members inherited from Object.prototype do not count as declared', () => {
  expect(redact(Shape, { constructor: 'x', toString: 1 })).toEqual({ [redacted]: redacted })
})

test('a secret is never visible, in any member', () => {
  const secrets = fc.constantFrom(
    'sk_test_secret',
    'ada@secret.example',
    '4242424242424242',
    4242424242424242,
  )
  const names = fc.constantFrom(...Object.keys(CustomerBody.properties), 'card', 'id', 'created_at')
  const tree = fc.letrec((tie) => ({
    node: fc.oneof(
      secrets,
      fc.dictionary(names, tie('node'), { maxKeys: 4 }),
      fc.array(tie('node'), { maxLength: 3 }),
    ),
  })).node
  fc.assert(
    fc.property(tree, (body) => {
      for (const schema of [CustomerBody, CustomerObject, Shape, {}])
        expect(JSON.stringify(redact(schema, body))).not.toMatch(/secret|4242/)
    }),
    { numRuns: 500 },
  )
})

test('the fixed parts of the route and ids in a path are kept', () => {
  const id = 'customer_test_01M7CYVGQTEAKSNTBFR026MPQ1'

  expect(redactPath('/customers/:customer_id', `/customers/${id}`)).toBe(`/customers/${id}`)
  expect(redactPath('/customers/:customer_id', `/customers/${id.toLowerCase()}/`)).toBe(
    `/customers/${id.toLowerCase()}`,
  )
  expect(redactPath('/customers', '/customers/')).toBe('/customers')
  for (const userInput of [
    'ada@example.com',
    'ada%40example.com',
    '4242424242424242',
    'sk_test_0123456789abcdef',
  ])
    expect(redactPath('/customers/:customer_id', `/customers/${userInput}`)).toBe(`/customers/${redacted}`)
})

test('a member marked as not loggable is hidden with all its content', () => {
  const card = { type: 'object', loggable: false, properties: { exp_month: { type: 'integer' } } }
  const schema = { type: 'object', properties: { card, count: { type: 'integer', loggable: false } } }

  expect(redact(schema, { card: { exp_month: 12 }, count: 3 })).toEqual({ card: redacted, count: redacted })
  expect(redact(schema, { card: [12], count: null })).toEqual({ card: redacted, count: null })
})

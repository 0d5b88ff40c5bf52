import { expect, test } from 'vitest'
import { Refusal } from '../../kernel/errors.ts'
import { withIdHints } from './id-hints.ts'

const customer = 'customer_test_01M7CYVGQTEAKSNTBFR026MPQ1'
const payment = 'payment_test_01M7CYVGQTEAKSNTBFR026MPQ1'
const nothing = { query: {}, body: {} }

test.each([
  [payment, 'is not a customer: that is a payment id'],
  [customer.replace('_test_', '_'), 'is not a customer: that is an id of the live environment'],
  [customer, 'is not a customer'],
  ['nonsense', 'is not a customer'],
])('%s instead of a customer id: %s', (id, detail) => {
  const errors = [{ pointer: '/customer_id', code: 'not_found', detail: 'is not a customer' }] as const
  const refusal = new Refusal('reference_not_found', { errors })

  const hinted = withIdHints(refusal, { ...nothing, body: { customer_id: id } }, 'test')

  expect(hinted.members.errors?.[0]?.detail).toBe(detail)
})

test('an id in a path gets no hint: every id that is not found has the same response', () => {
  const refusal = new Refusal('not_found', { detail: 'There is no such customer.' })

  expect(withIdHints(refusal, nothing, 'test')).toBe(refusal)
})

test('the error for a member with the id of another kind names that kind, even in a list', () => {
  const errors = [
    { pointer: '/default_price_id', code: 'not_found', detail: 'is not the id of an existing price' },
    { pointer: '/webhook_endpoint_ids/0', code: 'not_found', detail: 'is not an endpoint' },
    { pointer: '/customer_id', code: 'required', detail: 'is required' },
  ] as const
  const body = { default_price_id: payment, webhook_endpoint_ids: [customer], customer_id: payment }

  const hinted = withIdHints(new Refusal('reference_not_found', { errors }), { ...nothing, body }, 'test')

  expect(hinted.members.errors?.map(({ detail }) => detail)).toEqual([
    'is not the id of an existing price: that is a payment id',
    'is not an endpoint: that is a customer id',
    'is required',
  ])
  expect(hinted.message).toBe(
    'default_price_id is not the id of an existing price: that is a payment id (and 2 more)',
  )
})

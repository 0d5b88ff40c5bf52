// The form of a one-off invoice becomes a request with amounts in minor units.

import { expect, test } from 'vitest'
import { bodyOf, emptyDraft, emptyLine, isComplete } from './invoice-draft.ts'

const line = { ...emptyLine(), description: ' Workshop ', quantity: '2', unitAmount: '1200.50' }

test('amounts are sent in minor units of the currency, and terms only if the customer pays', () => {
  const draft = { ...emptyDraft(), customerId: 'customer_1', lines: [line] }
  expect(bodyOf(draft)).toEqual({
    customer_id: 'customer_1',
    currency: 'eur',
    collection_method: 'send_invoice',
    terms: { days: 14 },
    lines: [{ description: 'Workshop', quantity: 2, unit_amount: 120050 }],
  })
  const charged = bodyOf({ ...draft, collectionMethod: 'charge_automatically', memo: 'Thanks' })
  expect(charged).toMatchObject({ collection_method: 'charge_automatically', memo: 'Thanks' })
  expect(charged).not.toHaveProperty('terms')
})

test('an invoice is complete if it has a customer, and each line has a description and an amount', () => {
  const draft = { ...emptyDraft(), customerId: 'customer_1', lines: [line] }
  expect(isComplete(draft)).toBe(true)
  expect(isComplete({ ...draft, customerId: '' })).toBe(false)
  expect(isComplete({ ...draft, lines: [line, emptyLine()] })).toBe(false)
  expect(isComplete({ ...draft, lines: [{ ...line, unitAmount: '12.345' }] })).toBe(false)
  expect(isComplete({ ...draft, lines: [{ ...line, quantity: '0' }] })).toBe(false)
})

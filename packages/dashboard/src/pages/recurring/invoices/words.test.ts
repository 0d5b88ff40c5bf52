import type { Invoice } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { invoiceSentence } from './words.ts'

const invoice = (members: object) =>
  ({
    status: 'open',
    currency: 'eur',
    payment_state: 'none',
    amount_remaining: 4500,
    amount_paid: 0,
    attempt_count: 1,
    last_failure: null,
    next_attempt_at: null,
    paid_at: null,
    paid_out_of_band: false,
    void_reason: null,
    ...members,
  }) as unknown as Invoice

test('an unknown payment is never called failed, whatever was before', () => {
  const failure = { code: 'insufficient_funds', at: '2027-04-01T12:00:00Z' }
  const sentence = invoiceSentence(invoice({ payment_state: 'unknown', last_failure: failure }))
  expect(sentence).toMatch(/nobody knows yet/)
  expect(sentence).not.toMatch(/fail/)
})

test('an open invoice says why it failed, what is owed and what comes next', () => {
  const failure = { code: 'insufficient_funds', at: '2027-04-01T12:00:00Z' }
  expect(invoiceSentence(invoice({ last_failure: failure, next_attempt_at: '2027-04-09T12:00:00Z' }))).toBe(
    'The last try failed on 1 Apr 2027 (`insufficient_funds`). €45.00 is still owed. It is tried on 9 Apr 2027.',
  )
})

test('a paid one says when and at which try; one of nothing, and one paid elsewhere, say so', () => {
  const paid = { status: 'paid', amount_paid: 4500, paid_at: '2027-04-09T12:00:00Z', attempt_count: 3 }
  expect(invoiceSentence(invoice(paid))).toBe('€45.00 was paid on 9 Apr 2027, at try 3.')
  expect(invoiceSentence(invoice({ ...paid, amount_paid: 0 }))).toMatch(/nothing to pay/)
  expect(invoiceSentence(invoice({ ...paid, paid_out_of_band: true }))).toMatch(/by other means/)
})

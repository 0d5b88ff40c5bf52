import type { Invoice } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { invoiceSentence } from './invoice-text.ts'

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
    test_clock_id: null,
    paid_at: null,
    paid_out_of_band: false,
    void_reason: null,
    ...members,
  }) as unknown as Invoice

test('a payment with an unknown outcome is never called failed, even after an earlier failure', () => {
  const failure = { code: 'insufficient_funds', at: '2027-04-01T12:00:00Z' }
  const sentence = invoiceSentence(invoice({ payment_state: 'unknown', last_failure: failure }))
  expect(sentence).toMatch(/outcome is not known yet/)
  expect(sentence).not.toMatch(/fail/)
})

test('an open invoice shows the last failure, the amount due and the next attempt', () => {
  const failure = { code: 'insufficient_funds', at: '2027-04-01T12:00:00Z' }
  const failed = invoice({ last_failure: failure, next_attempt_at: '2027-04-09T12:00:00Z' })
  expect(invoiceSentence(failed, Date.parse('2027-04-02T12:00:00Z'))).toBe(
    'The last attempt failed on 1 Apr 2027 (`insufficient_funds`). €45.00 is still due. The next attempt is on 9 Apr 2027.',
  )
})

test('an overdue attempt is due now, not in the past, except on a test clock', () => {
  const nowMs = Date.parse('2027-04-09T12:00:01Z')
  const overdue = { next_attempt_at: '2027-04-09T12:00:00Z' }
  expect(invoiceSentence(invoice(overdue), nowMs)).toBe('€45.00 is due. The next attempt is due now.')
  expect(invoiceSentence(invoice({ ...overdue, test_clock_id: 'test_clock_test_1' }), nowMs)).toBe(
    '€45.00 is due. The next attempt is on 9 Apr 2027.',
  )
})

test('a paid invoice shows the date and the attempt; zero-amount and out-of-band payments are named', () => {
  const paid = { status: 'paid', amount_paid: 4500, paid_at: '2027-04-09T12:00:00Z', attempt_count: 3 }
  expect(invoiceSentence(invoice(paid))).toBe('€45.00 paid on 9 Apr 2027 on attempt 3.')
  expect(invoiceSentence(invoice({ ...paid, amount_paid: 0 }))).toMatch(/Nothing was due/)
  expect(invoiceSentence(invoice({ ...paid, paid_out_of_band: true }))).toMatch(/Paid outside Switchyard/)
})

test('a sent invoice says when it is due, and that the customer pays it', () => {
  const sent = {
    collection_method: 'send_invoice',
    due_at: '2027-04-09T12:00:00Z',
    sent_at: '2027-03-26T12:00:00Z',
    next_reminder_at: '2027-04-06T09:00:00Z',
    overdue: false,
  }
  expect(invoiceSentence(invoice(sent))).toBe(
    '€45.00 is due on 9 Apr 2027. The customer pays online. Next step on 6 Apr 2027.',
  )
  expect(invoiceSentence(invoice({ ...sent, overdue: true, next_reminder_at: null, sent_at: null }))).toBe(
    '€45.00 has been overdue since 9 Apr 2027. The customer pays online. It has not been sent by e-mail. No more reminders are scheduled.',
  )
})

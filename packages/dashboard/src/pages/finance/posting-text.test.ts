import type { LedgerPosting } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { postingText, sortPostings } from './posting-text.ts'

const captured = {
  id: 'ledger_posting_test_1',
  act: 'payment_captured',
  debit: { account: 'clearing', object_id: 'payment_test_1' },
  credit: { account: 'unapplied', object_id: 'payment_test_1' },
  provider_account_id: 'provider_account_test_1',
  amount: 2999,
  currency: 'eur',
  effective_at: '2026-11-14T12:00:00.000Z',
} as LedgerPosting
const postingWith = (members: object) => ({ ...captured, ...members }) as LedgerPosting
const textOn = (pageId: string, members: object) => postingText(postingWith(members), pageId, () => 'North')

test('a capture and a refund name the provider account', () => {
  expect(textOn('payment_test_1', {}).text).toBe('€29.99 captured at North')
  expect(textOn('payment_test_1', { act: 'refund_succeeded' }).text).toBe('€29.99 refunded by North')
  expect(textOn('payment_test_1', { act: 'refund_returned' }).text).toBe('€29.99 returned to North')
})

test('a posting of a dispute names the provider account if the provider moved the money', () => {
  const text = (act: string, account: string | null = 'provider_account_test_1') =>
    textOn('payment_test_1', { act, provider_account_id: account }).text

  expect(text('dispute_withdrawn')).toBe('€29.99 withdrawn for a dispute by North')
  expect(text('dispute_returned')).toBe('€29.99 returned after a dispute by North')
  expect(text('dispute_fee_charged')).toBe('€29.99 charged as dispute fee by North')
  expect(text('dispute_fee_returned')).toBe('€29.99 of dispute fees returned by North')
  expect(text('dispute_lost', null)).toBe('€29.99 lost in the dispute')
})

test('a payment for an invoice refers to the object that is not on the page', () => {
  const applied = {
    act: 'payment_applied',
    debit: { account: 'unapplied', object_id: 'payment_test_1' },
    credit: { account: 'receivable', object_id: 'invoice_test_1' },
    provider_account_id: null,
  }
  expect(textOn('payment_test_1', applied)).toEqual({
    text: '€29.99 applied to invoice',
    objectId: 'invoice_test_1',
  })
  expect(textOn('invoice_test_1', applied)).toEqual({
    text: '€29.99 applied from payment',
    objectId: 'payment_test_1',
  })
  expect(
    textOn('invoice_test_1', { ...applied, debit: { ...applied.debit, account: 'refunded' } }).text,
  ).toBe('€29.99 (already refunded) applied from payment')
})

test('credit refers to the customer on the page of an invoice', () => {
  const returned = {
    act: 'credit_returned',
    debit: { account: 'unearned', object_id: 'invoice_test_1' },
    credit: { account: 'credit', object_id: 'customer_test_1' },
    provider_account_id: null,
  }
  expect(textOn('invoice_test_1', returned)).toEqual({
    text: '€29.99 of credit returned to customer',
    objectId: 'customer_test_1',
  })
})

test('postings are sorted by time, and those of the same time keep the order of the ledger', () => {
  const at = (id: string, effective_at: string) => postingWith({ id, effective_at })
  // The API returns the posting with the newest cause first.
  const sorted = sortPostings([
    at('c', '2026-11-14T12:00:00.000Z'),
    at('b', '2026-11-15T12:00:00.000Z'),
    at('a', '2026-11-14T12:00:00.000Z'),
  ])

  expect(sorted.map(({ id }) => id)).toEqual(['a', 'c', 'b'])
})

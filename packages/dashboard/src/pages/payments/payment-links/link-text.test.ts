import type { PaymentLink } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { linkSentence, paidText, priceText } from './link-text.ts'

const link = {
  status: 'active',
  amount: 4_000,
  open_amount: null,
  line_items: null,
  currency: 'eur',
  max_completions: 3,
  completed_count: 1,
  expires_at: '2026-12-01T12:00:00.000Z',
} as PaymentLink

test('the price is described for each kind of link', () => {
  expect(priceText(link)).toBe('€40.00')
  expect(priceText({ ...link, amount: null, open_amount: { min: 500, max: 10_000, suggested: null } })).toBe(
    '€5.00 to €100.00',
  )
  const tea = { name: 'Tea', description: null, unit_amount: 350, adjustable_quantity: false }
  const items = [
    { ...tea, quantity: 2, amount: 700 },
    { ...tea, quantity: 1, amount: 350 },
  ]
  expect(priceText({ ...link, line_items: items })).toBe('€10.50 for 2 items')
})

test('a link is described in each of its states', () => {
  expect(linkSentence(link)).toBe('1 payment. 2 more payments are possible until 1 Dec 2026.')
  expect(linkSentence({ ...link, completed_count: 0, max_completions: 1 })).toBe(
    'No payments yet. 1 payment is possible until 1 Dec 2026.',
  )
  expect(linkSentence({ ...link, status: 'completed' })).toContain('The payment limit is reached')
  expect(linkSentence({ ...link, status: 'inactive', completed_count: 0 })).toMatch(/^No payments yet/)
  expect(linkSentence({ ...link, status: 'expired' })).toContain('1 Dec 2026')
  expect(paidText(link)).toBe('1 of 3')
  expect(paidText({ ...link, max_completions: null })).toBe('1 payment')
})

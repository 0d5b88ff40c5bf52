import type { PaymentLink } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { createBody, emptyItem, emptyLink, termsDraftOf, termsOf, totalOf } from './draft.ts'

test('a link for one amount is sent with it, in the smallest unit of its currency', () => {
  expect(createBody({ ...emptyLink, amount: '40' })).toEqual({ amount: 4_000, currency: 'eur' })
  expect(createBody({ ...emptyLink, amount: '40', currency: 'jpy' })).toEqual({ amount: 40, currency: 'jpy' })
})

test('the payer may choose, or pay for items; what was not changed is not sent', () => {
  expect(createBody({ ...emptyLink, kind: 'open', min: '5', max: '100' }).open_amount).toEqual({
    min: 500,
    max: 10_000,
  })
  const items = [
    { ...emptyItem, name: ' Tea ', amount: '3.50', quantity: '2' },
    { ...emptyItem, name: 'Cake', amount: '4' },
  ]
  const draft = { ...emptyLink, kind: 'items', items, uses: '' } as const
  expect(createBody(draft)).toEqual({
    line_items: [
      { name: 'Tea', unit_amount: 350, quantity: 2 },
      { name: 'Cake', unit_amount: 400, quantity: 1 },
    ],
    currency: 'eur',
    max_completions: null,
  })
  expect(totalOf(draft)).toBe(1_100)
  expect(totalOf({ ...draft, items: [emptyItem] })).toBeNull()
})

test('of a link that is there only differences are sent', () => {
  const link = {
    description: 'Tickets',
    max_completions: 5,
    expires_at: '2026-12-01T12:00:00.000Z',
    collect: ['email'],
    after_completion: { type: 'page', message: null, url: null },
  } as unknown as PaymentLink
  const before = termsDraftOf(link)
  expect(termsOf(before, before)).toEqual({})
  expect(termsOf({ ...before, uses: '', description: '' }, before)).toEqual({
    description: null,
    max_completions: null,
  })
  expect(termsOf({ ...before, redirect: 'https://shop.example/thanks' }, before)).toEqual({
    after_completion: { type: 'redirect', url: 'https://shop.example/thanks' },
  })
  const { expires_at: end } = termsOf({ ...before, expires: '2027-01-31' }, before)
  expect(new Date(String(end)).getTime()).toBe(new Date('2027-01-31T23:59:59').getTime())
})

import type { PaymentLink } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { changedSettings, createBody, emptyItem, emptyLink, settingsDraftOf, totalOf } from './draft.ts'

test('a fixed amount is sent in minor units of the currency', () => {
  expect(createBody({ ...emptyLink, amount: '40' })).toEqual({ amount: 4_000, currency: 'eur' })
  expect(createBody({ ...emptyLink, amount: '40', currency: 'jpy' })).toEqual({ amount: 40, currency: 'jpy' })
})

test('a link can have an amount range or line items, and default settings are not sent', () => {
  expect(createBody({ ...emptyLink, kind: 'open', min: '5', max: '100' }).open_amount).toEqual({
    min: 500,
    max: 10_000,
  })
  const items = [
    { ...emptyItem, name: ' Tea ', amount: '3.50', quantity: '2' },
    { ...emptyItem, name: 'Cake', amount: '4' },
  ]
  const draft = { ...emptyLink, kind: 'items', items, maxPayments: '' } as const
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

test('a link can sell a subscription, or only store a card', () => {
  const draft = { ...emptyLink, kind: 'subscription', priceId: 'price_1', quantity: '3' } as const
  expect(createBody(draft)).toEqual({
    mode: 'subscription',
    line_items: [{ price_id: 'price_1', quantity: 3 }],
  })
  expect(createBody({ ...draft, trialDays: '14', isQuantityAdjustable: true })).toEqual({
    mode: 'subscription',
    line_items: [{ price_id: 'price_1', quantity: 3, adjustable_quantity: true }],
    subscription: { trial: { days: 14 } },
  })
  expect(createBody({ ...emptyLink, kind: 'setup', isManualCapture: true })).toEqual({ mode: 'setup' })
  expect(totalOf(draft)).toBeNull()
})

test('an update contains only changed settings', () => {
  const link = {
    description: 'Tickets',
    max_completions: 5,
    expires_at: '2026-12-01T12:00:00.000Z',
    collect: ['email'],
    after_completion: { type: 'page', message: null, url: null },
  } as unknown as PaymentLink
  const before = settingsDraftOf(link)
  expect(changedSettings(before, before)).toEqual({})
  expect(changedSettings({ ...before, maxPayments: '', description: '' }, before)).toEqual({
    description: null,
    max_completions: null,
  })
  expect(changedSettings({ ...before, redirect: 'https://shop.example/thanks' }, before)).toEqual({
    after_completion: { type: 'redirect', url: 'https://shop.example/thanks' },
  })
  const { expires_at: end } = changedSettings({ ...before, expires: '2027-01-31' }, before)
  expect(new Date(String(end)).getTime()).toBe(new Date('2027-01-31T23:59:59').getTime())
})

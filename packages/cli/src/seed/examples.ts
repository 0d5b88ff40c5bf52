/** Example data: customers from several countries, and payment links in several currencies. */
import type { CreateCustomer, CreatePaymentLink, CreatePrice } from '@switchyard/sdk'
import { decidingTexts } from '../triggers/disputes.ts'
import { cards } from '../triggers/trigger-context.ts'

export const customers: readonly CreateCustomer[] = [
  {
    name: 'Ada Lovelace',
    email: 'ada@example.com',
    locale: 'en-GB',
    address: { city: 'London', country: 'GB' },
  },
  {
    name: 'Café Zürich GmbH',
    email: 'rechnung@example.ch',
    locale: 'de-CH',
    tax_ids: [{ type: 'ch_vat', value: 'CHE-123.456.788' }],
  },
  {
    name: '山田 花子',
    email: 'hanako@example.jp',
    locale: 'ja-JP',
    phone: '+81312345678',
    address: { city: '東京', country: 'JP' },
  },
  { name: 'Léa Dubois', email: 'lea@example.fr', locale: 'fr-FR', metadata: { plan: 'team', seats: '12' } },
  { name: 'مها الهاشمي', email: 'maha@example.ae', locale: 'ar-AE', address: { city: 'دبي', country: 'AE' } },
]

export const links: readonly CreatePaymentLink[] = [
  { amount: 1299, currency: 'eur', description: 'A book' },
  {
    currency: 'chf',
    description: 'Konzertkarten',
    locale: 'de-CH',
    line_items: [{ name: 'Konzertkarte', unit_amount: 4500, adjustable_quantity: true }],
    collect: ['name', 'email'],
    max_completions: 200,
  },
  {
    currency: 'jpy',
    description: '寄付',
    locale: 'ja-JP',
    open_amount: { min: 500, max: 100_000, suggested: 3_000 },
    max_completions: null,
  },
]

/** A monthly price that is lower for larger teams. */
export const tieredPrice: Omit<CreatePrice, 'product_id' | 'currency'> = {
  scheme: 'graduated',
  tiers: [
    { up_to: 10, unit_amount_decimal: '1500' },
    { up_to: 50, unit_amount_decimal: '1200' },
    { up_to: null, unit_amount_decimal: '900' },
  ],
  nickname: 'Large teams',
  recurring: { interval: 'month' },
}

/**
 * The simulator scripts of two customers on a test clock: every payment of one is approved, the card of the other is
 * declined after three payments.
 */
export const paymentScripts: Readonly<Record<string, string | null>> = {
  'Grace Hopper': null,
  'Alan Turing': 'approve x3, decline:51',
}

type DisputedPayment = {
  readonly name: string
  readonly number: string
  readonly amount: number
  readonly explanation?: string
  readonly response?: 'submit' | 'accept'
}

const delivered = 'The parcel was delivered to the customer’s address, and a neighbour signed for it.'

/** Payments with test cards that trigger a dispute, and how the merchant responds to each dispute. */
export const disputedPayments: readonly DisputedPayment[] = [
  { name: 'new', number: cards.disputed, amount: 4900 },
  { name: 'due-in-two-days', number: cards.disputedSoon, amount: 12_900, explanation: delivered },
  { name: 'inquiry', number: cards.inquired, amount: 2500 },
  {
    name: 'under-review',
    number: cards.disputed,
    amount: 7900,
    explanation: delivered,
    response: 'submit',
  },
  { name: 'won', number: cards.disputed, amount: 3900, explanation: decidingTexts.wins, response: 'submit' },
  { name: 'accepted', number: cards.disputed, amount: 1900, response: 'accept' },
  {
    name: 'closed-inquiry',
    number: cards.inquired,
    amount: 5900,
    explanation: decidingTexts.wins,
    response: 'submit',
  },
]

/** A settlement report with the columns of `seedSettlement`. */
export const settlementFile = `ID,Type,Reference,Gross,Fee,Currency,Date,Payout
1,sale,elsewhere-1,49.00,1.10,EUR,2026-11-12,payout-1
2,fee,monthly-fee,-12.00,0.00,EUR,2026-11-13,payout-1
`

/** Payers who receive a receipt. In test workspaces, two of the addresses simulate a bounce and a complaint. */
export const receiptAddresses: readonly string[] = [
  'grace@example.com',
  'bounce@example.com',
  'complaint@example.com',
]

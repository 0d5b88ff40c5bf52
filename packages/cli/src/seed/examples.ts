/** Example data: customers from several countries, and payment links in several currencies. */
import type { CreateCustomer, CreatePaymentLink } from '@switchyard/sdk'

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

/**
 * The simulator scripts of two customers on a test clock: every payment of one is approved, the card of the other is
 * declined after three payments.
 */
export const paymentScripts: Readonly<Record<string, string | null>> = {
  'Grace Hopper': null,
  'Alan Turing': 'approve x3, decline:51',
}

/** A settlement report with the columns of `seedSettlement`. */
export const settlementFile = `ID,Type,Reference,Gross,Fee,Currency,Date,Payout
1,sale,elsewhere-1,49.00,1.10,EUR,2026-11-12,payout-1
2,fee,monthly-fee,-12.00,0.00,EUR,2026-11-13,payout-1
`

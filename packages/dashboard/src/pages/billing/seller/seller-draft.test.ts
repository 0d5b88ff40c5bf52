// The seller form keeps the values that it does not show.

import type { Seller } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { bodyOf, draftOf, missingOfInvoice, missingText } from './seller-draft.ts'

const seller: Seller = {
  object: 'seller',
  legal_name: 'Example GmbH',
  vat_scheme: 'standard',
  time_zone: 'Europe/Berlin',
  address: {
    line1: 'Unter den Linden 1',
    line2: '2nd floor',
    city: 'Berlin',
    state: null,
    postal_code: '10117',
    country: 'DE',
  },
  registration: null,
  tax_ids: [
    { type: 'eu_vat', value: 'DE123456789' },
    { type: 'gb_vat', value: 'GB123456789' },
  ],
  bank: { account_holder: null, name: 'Example Bank', iban: null, bic: null },
  contact: null,
  electronic_address: { scheme: '9930', value: 'DE123456789' },
  footer: { en: 'Thank you.' },
  numbering: { prefix: null, reset: 'never' },
  tax: 'none',
  missing: [],
  required: true,
}

test('saving an unchanged form changes nothing, and keeps members that the form does not show', () => {
  const body = bodyOf(draftOf(seller), seller)

  expect(body).toMatchObject({
    legal_name: 'Example GmbH',
    address: seller.address,
    tax_ids: seller.tax_ids,
    registration: null,
    bank: seller.bank,
    electronic_address: seller.electronic_address,
    numbering: seller.numbering,
  })
  expect(body).not.toHaveProperty('footer')
})

test('missing fields are named, with their effect', () => {
  expect(missingText({ missing: ['legal_name', 'tax_ids'], required: true })).toBe(
    'Missing for legal invoices: legal name, tax ID. In production, invoices stay drafts until you enter them.',
  )
  expect(missingOfInvoice(['seller.address.city', 'customer.name'])).toBe('seller city, customer name')
})

// The invoice PDF in each language, with seller, customer, tax table and payment link.

import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { textOfPdf } from '../../../../test/support/pdf-text.ts'
import { completeSeller } from '../../../../test/support/seller.ts'
import type { TaxGroup } from '../../../kernel/invoice-arithmetic.ts'
import { draftLine } from '../../../kernel/invoice-lines.ts'
import {
  type DocumentLanguage,
  documentLanguages,
  emptySeller,
  type Parties,
} from '../../../kernel/parties.ts'
import type { Invoice } from './invoice.ts'
import { type PdfInput, renderPdf } from './pdf.ts'
import { pdfTexts } from './pdf-texts.ts'
import { visualParts } from './right-to-left.ts'

const month = { startAt: new Date('2026-11-14T12:00:00Z'), endAt: new Date('2026-12-14T12:00:00Z') }
/** A PNG of one pixel. */
const logo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const taxGroups: readonly TaxGroup[] = [
  { rate: { id: 'tax', percentage: '19', inclusive: false, category: 'S' }, net: 120_000n, tax: 22_800n },
]

function partiesIn(language: string): Parties {
  return {
    seller: {
      ...emptySeller,
      ...completeSeller,
      bank: {
        account_holder: null,
        name: 'Example Bank',
        iban: 'DE89370400440532013000',
        bic: 'COBADEFFXXX',
      },
      contact: { email: 'billing@example.com', phone: '+49 30 1234567', url: 'www.example.com' },
      footer: {
        en: 'Thank you for your business.',
        de: 'Vielen Dank für Ihren Auftrag.',
        ar: 'شكرًا لتعاملكم معنا.',
      },
    },
    customer: {
      name: 'Ada Lovelace Ltd',
      email: 'ada@example.com',
      locale: language,
      address: {
        ...completeSeller.address,
        line1: '12 St James’s Square',
        city: 'London',
        postal_code: 'SW1Y 4JH',
        country: 'GB',
      },
      tax_ids: [{ type: 'gb_vat', value: 'GB123456789' }],
    },
  }
}

const line = (rule: 'full_period' | 'unused', unitAmountDecimal: string, numeratorSeconds: number) => ({
  ...draftLine('eur', {
    rule,
    unitAmountDecimal,
    quantity: 1,
    priceId: null,
    subscriptionItemId: null,
    service: month,
    numeratorSeconds,
    denominatorSeconds: 2_592_000,
    changeId: null,
  }),
  id: 'line',
  description: rule === 'unused' ? 'Team plan' : null,
})

function inputIn(language: string, options: Partial<PdfInput> = {}): PdfInput {
  const invoice = {
    status: 'open',
    number: 'INV-2026-000042',
    currency: 'eur',
    customerId: 'customer_1',
    lines: [line('full_period', '123456', 2_592_000), line('unused', '6912', 1_296_000)],
    subtotal: 120_000n,
    discountTotal: 0n,
    taxTotal: 22_800n,
    total: 142_800n,
    creditApplied: 0n,
    creditGranted: 0n,
    amountDue: 142_800n,
    amountPaid: 0n,
    // In Berlin it is the 15th.
    finalizedAt: new Date('2026-11-14T23:30:00Z'),
    createdAt: month.startAt,
    dueAt: new Date('2026-11-28T12:00:00Z'),
    period: { ...month, index: 0, epoch: 0 },
  } as unknown as Invoice
  return {
    invoice,
    parties: partiesIn(language),
    taxGroups,
    facturX: null,
    displayName: 'A workspace',
    logo,
    payUrl: 'https://pay.example.com/i/AZqC4F8bcd0',
    fallbacks: [],
    ...options,
  }
}

async function textIn(language: string, options: Partial<PdfInput> = {}): Promise<string> {
  const bytes = await renderPdf(inputIn(language, options))
  if (process.env.PDF_FOLDER !== undefined) writeFileSync(`${process.env.PDF_FOLDER}/${language}.pdf`, bytes)
  return textOfPdf(bytes)
}

test.each<[DocumentLanguage, readonly string[]]>([
  ['en', ['Invoice', '15 November 2026', 'EUR 1,428.00 due on 28 November 2026', 'full period', 'Thank you']],
  [
    'de',
    [
      'Rechnung',
      '15. November 2026',
      'EUR 1.428,00 fällig am 28. November 2026',
      'voller Zeitraum',
      'Vielen Dank',
    ],
  ],
  ['es', ['Factura', '15 de noviembre de 2026', 'EUR 1.428,00', 'periodo completo', 'Base imponible']],
  ['fr', ['Facture', '15 novembre 2026', 'EUR 1\u00a0428,00', 'période complète', 'Payer en ligne']],
])(
  'an invoice in %s has translated text, localized dates and amounts, both parties, the tax table and the payment link',
  async (language, parts) => {
    const text = await textIn(language)

    const shared = ['Example GmbH', 'DE123456789', 'HRB 12345', 'Ada Lovelace Ltd', 'GB123456789', '19%']
    for (const part of [
      ...parts,
      ...shared,
      'DE89370400440532013000',
      'https://pay.example.com/i/AZqC4F8bcd0',
    ])
      expect(text).toContain(part)
  },
)

test('Arabic is written from right to left, and amounts in it from left to right', async () => {
  expect(visualParts('المبلغ المتبقي EUR 1,428.00 مستحق').map(({ text }) => text)).toEqual([
    'مستحق',
    'EUR 1,428.00',
    'المبلغ المتبقي',
  ])
  const text = await textIn('ar')

  expect(text).toContain('EUR 1,428.00')
  expect(text).toContain('Ada Lovelace Ltd')
  expect(text).not.toContain('Invoice')
})

test('Japanese falls back to English if no font has its characters', async () => {
  expect(await textIn('ja')).toContain('Invoice')
})

test('without tax, debt and logo there is no tax table and no payment link', async () => {
  const text = await textIn('de-AT', { taxGroups: [], payUrl: null, logo: null })

  expect(text).toContain('Rechnung')
  for (const part of ['Steuersatz', 'Online bezahlen']) expect(text).not.toContain(part)
})

test('no language lacks a translation', () => {
  const filled = (value: unknown): boolean =>
    typeof value === 'string' ? value !== '' : Object.values(value as object).every(filled)

  for (const language of documentLanguages) expect(filled(pdfTexts[language])).toBe(true)
})

/** The sale and the credit note that the fixtures of all tax providers are about. */
import type { TaxDocument, TaxInput, TaxRecord, TaxReversal } from '../kernel/tax-quotes.ts'

export const now = new Date('2026-11-18T10:00:00.000Z')

export const input: TaxInput = {
  currency: 'usd',
  seller: {
    address: {
      line1: '1 Example Avenue',
      line2: null,
      city: 'New York',
      state: 'NY',
      postal_code: '10001',
      country: 'US',
    },
    taxIds: [{ type: 'us_ein', value: '12-3456789' }],
  },
  customer: {
    id: 'customer_test_01M7CYVGQTEAKSNTBFR026MPQ1',
    address: {
      line1: '2000 Main Street',
      line2: null,
      city: 'Irvine',
      state: 'CA',
      postal_code: '92614',
      country: 'US',
    },
    taxIds: [],
    isExempt: false,
  },
  lines: [
    {
      reference: 'invoice_line_test_01M7CYVGQTEAKSNTBFR026MPQ2',
      amount: '10000',
      quantity: 2,
      inclusive: false,
      taxCode: null,
      description: 'Workshop',
    },
    {
      reference: 'invoice_line_test_01M7CYVGQTEAKSNTBFR026MPQ3',
      amount: '2500',
      quantity: 1,
      inclusive: true,
      taxCode: 'P0000000',
      description: null,
    },
  ],
}

export const [firstLine, secondLine] = input.lines.map(({ reference }) => reference) as [string, string]
export const invoiceId = 'invoice_test_01M7CYVGQTEAKSNTBFR026MPQ4'
export const creditNoteId = 'credit_note_test_01M7CYVGQTEAKSNTBFR026MPQ5'

/** The tax of California in these fixtures: 7.75%, which is contained in the second line. */
export const taxes = { [firstLine]: '775', [secondLine]: '180' } as const

export function documentWith(ref: string | null): TaxDocument {
  const lines = input.lines.map(({ reference }) => ({
    reference,
    tax: taxes[reference] ?? '0',
    percentage: '7.75',
    category: 'S' as const,
  }))
  return { reference: invoiceId, input, quote: { ref, expiresAt: null, taxDate: '2026-11-18', lines } }
}

/** Half of the first line is credited. */
export function reversalOf(document: TaxDocument, record: TaxRecord): TaxReversal {
  const lines = [{ reference: firstLine, amount: '5000', tax: '388' }]
  return { reference: creditNoteId, original: { ...document, record }, date: '2026-11-20', lines }
}

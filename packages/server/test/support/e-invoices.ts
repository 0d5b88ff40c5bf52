/** Generated documents for tests of e-invoices: all tax categories, discounts, credit lines, and tax that is included. */
import fc from 'fast-check'
import type { InvoicedDocument } from '../../src/domains/billing/invoices/e-invoice.ts'
import type { Currency } from '../../src/kernel/currency.ts'
import { type Id, idFromUuid } from '../../src/kernel/id.ts'
import type { TaxRate } from '../../src/kernel/invoice-arithmetic.ts'
import { amountsOfDraft, draftLine } from '../../src/kernel/invoice-lines.ts'
import { emptySeller, type Parties } from '../../src/kernel/parties.ts'

export const parties: Parties = {
  seller: {
    ...emptySeller,
    legal_name: 'Example & Söhne GmbH',
    address: {
      line1: 'Unter den Linden 1',
      line2: null,
      city: 'Berlin',
      state: null,
      postal_code: '10117',
      country: 'DE',
    },
    registration: { register: 'Amtsgericht Berlin', number: 'HRB 12345' },
    tax_ids: [{ type: 'eu_vat', value: 'DE 136 695 976' }],
    bank: { account_holder: null, name: null, iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' },
    contact: { email: 'billing@example.com', phone: '+49 30 1234567', url: null },
    time_zone: 'Europe/Berlin',
    electronic_address: { scheme: '9930', value: 'DE136695976' },
  },
  customer: {
    name: 'Ada <Lovelace> SARL',
    email: 'ada@example.com',
    address: {
      line1: '1 rue X',
      line2: 'Étage 2',
      city: 'Paris',
      state: null,
      postal_code: '75001',
      country: 'FR',
    },
    tax_ids: [{ type: 'eu_vat', value: 'FR40303265045' }],
    locale: 'de',
    electronic_address: { scheme: '0009', value: '73282932000074' },
    buyer_reference: '04011000-12345-34',
  },
}

const rate = (percentage: string, category: string, note: string | null = null) =>
  fc.boolean().map((inclusive): TaxRate => ({ id: null, percentage, inclusive, category, note }))
const rates = fc.oneof(
  rate('19', 'S'),
  rate('7', 'S'),
  rate('8.875', 'S'),
  rate('0', 'Z'),
  rate('0', 'E', 'Article 132'),
  rate('0', 'AE'),
  rate('0', 'K'),
  rate('0', 'G'),
)

const startAt = new Date('2026-11-01T00:00:00+01:00')
const endAt = new Date('2026-12-01T00:00:00+01:00')
const lineInputs = fc.record({
  taxRate: rates,
  quantity: fc.integer({ min: 1, max: 40 }),
  unitAmountDecimal: fc.oneof(
    fc.integer({ min: 0, max: 900_000 }).map(String),
    fc.constantFrom('0.4', '12.345'),
  ),
  rule: fc.constantFrom('full_period' as const, 'remaining' as const, 'unused' as const),
  part: fc.integer({ min: 1, max: 2_592_000 }),
  percentOff: fc.constantFrom(0n, 0n, 10n, 33n, 100n),
})
type LineInput = typeof lineInputs extends fc.Arbitrary<infer T> ? T : never

function lineOf(currency: Currency, { taxRate, part, rule, percentOff, ...input }: LineInput) {
  const line = draftLine(currency, {
    ...input,
    rule,
    numeratorSeconds: rule === 'full_period' ? 2_592_000 : part,
    denominatorSeconds: 2_592_000,
    priceId: null,
    subscriptionItemId: null,
    changeId: null,
    service: { startAt, endAt },
    taxRate,
  })
  // A credit line reverses a discount, which is then negative.
  const amount = (line.amount * percentOff) / 100n
  const discount = { id: 'discount', couponId: 'coupon' as Id<'coupon'>, name: 'Offer', amount }
  return percentOff === 0n ? line : { ...line, discounts: [discount] }
}

/** A finalized invoice with these lines, to which `credit` was applied. */
export function finalized(
  lines: readonly ReturnType<typeof lineOf>[],
  { currency = 'eur', credit = 0n }: { readonly currency?: Currency; readonly credit?: bigint } = {},
): InvoicedDocument {
  const { lines: calculated, total } = amountsOfDraft({ currency, lines })
  return {
    parties,
    profile: 'en16931',
    invoice: {
      currency,
      number: 'INV-000042',
      finalizedAt: new Date('2026-11-18T23:30:00Z'),
      dueAt: new Date('2026-12-02T10:00:00Z'),
      collectionMethod: 'send_invoice',
      purchaseOrder: 'PO-4711',
      memo: 'Thank you & see you "soon".',
      amountDue: total > credit ? total - credit : 0n,
      creditedOwed: 0n,
      lines: lines.map((line, index) => ({
        ...line,
        id: idFromUuid('invoice_line', 'test', `01939f00-0000-7000-8000-${String(index).padStart(12, '0')}`),
        description: `Line ${index + 1}`,
        net: calculated[index]?.net ?? 0n,
        tax: calculated[index]?.tax ?? 0n,
      })),
    },
  }
}

export const generatedInvoices = fc
  .tuple(
    fc.constantFrom('eur' as const, 'usd' as const),
    fc.array(lineInputs, { minLength: 1, maxLength: 12 }),
    fc.bigInt({ min: 0n, max: 5000n }),
  )
  .map(([currency, inputs, credit]) =>
    finalized(
      inputs.map((input) => lineOf(currency, input)),
      { currency, credit },
    ),
  )

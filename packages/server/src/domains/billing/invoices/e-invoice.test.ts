// The EN 16931 model of generated invoices: its totals, and the invoices that are refused.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { finalized, generatedInvoices, parties } from '../../../../test/support/e-invoices.ts'
import { pureRuns } from '../../../../test/support/property-runs.ts'
import { creditableOf, creditNoteAmounts } from '../../../kernel/credit-note-arithmetic.ts'
import { taxOn } from '../../../kernel/invoice-arithmetic.ts'
import { amountsOfDraft } from '../../../kernel/invoice-lines.ts'
import { fromCreditNote, fromInvoice, type InvoicedDocument } from './e-invoice.ts'
import type { EInvoice, ModelLine } from './e-invoice-model.ts'
import { violationsOf } from './e-invoice-rules.ts'

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n)

/** `quantity × price ÷ baseQuantity`, without rounding. */
function expectExactLine({ quantity, price, baseQuantity, adjustments, net }: ModelLine): void {
  const [whole = '', fraction = ''] = price.split('.')
  const scale = 10n ** BigInt(fraction.length)
  const adjusted = sum(adjustments.map(({ isCharge, amount }) => (isCharge ? amount : -amount)))
  const product = BigInt(quantity) * BigInt(whole + fraction)
  expect(product).toBe((net - adjusted) * scale * BigInt(baseQuantity))
}

/** BR-CO-10 to BR-CO-17, and BR-S-8 with its equivalents for the other categories. */
function expectTotals({ lines, breakdown, totals }: EInvoice): void {
  expect(totals.lines).toBe(sum(lines.map(({ net }) => net)))
  expect(totals.excludingVat).toBe(totals.lines)
  expect(totals.vat).toBe(sum(breakdown.map(({ tax }) => tax)))
  expect(totals.includingVat).toBe(totals.excludingVat + totals.vat)
  expect(totals.payable).toBe(totals.includingVat - totals.paid)
  expect(sum(breakdown.map(({ taxable }) => taxable))).toBe(totals.excludingVat)
  expect(new Set(breakdown.map(({ category, percentage }) => `${category} ${percentage}`)).size).toBe(
    breakdown.length,
  )
}

function taxDifferences({ breakdown }: EInvoice): bigint[] {
  return breakdown.map((group) => group.tax - taxOn({ id: null, inclusive: false, ...group }, group.taxable))
}

test('generated invoices satisfy BR-CO-10 to BR-CO-17, and state the amounts of the invoice', () => {
  fc.assert(
    fc.property(generatedInvoices, (document) => {
      const { invoice } = document
      const model = fromInvoice(document)
      const { total, taxTotal } = amountsOfDraft(invoice)
      expectTotals(model)
      model.lines.forEach(expectExactLine)
      expect(model.totals).toMatchObject({ includingVat: total, vat: taxTotal, payable: invoice.amountDue })
      expect(violationsOf(model)).toEqual([])
      // Tax that is included in amounts is rounded first, so it can differ by one unit from the tax on the rest.
      const isIncluded = invoice.lines.some(({ taxRate }) => taxRate?.inclusive)
      for (const difference of taxDifferences(model)) {
        expect(difference >= -2n && difference <= 2n).toBe(true)
        if (!isIncluded) expect(difference).toBe(0n)
      }
    }),
    pureRuns,
  )
})

test('generated credit notes satisfy BR-CO-10 to BR-CO-17 and refer to their invoice', () => {
  fc.assert(
    fc.property(generatedInvoices, fc.bigInt({ min: 1n, max: 100n }), (document, percentage) => {
      const { invoice } = document
      const calculated = amountsOfDraft(invoice).lines
      const credited = calculated
        .map((line, index) => ({ index, amount: (creditableOf(line) * percentage) / 100n }))
        .filter(({ amount }) => amount > 0n)
      fc.pre(credited.length > 0)
      const { lines, total, taxTotal } = creditNoteAmounts(calculated, [], credited)
      const model = fromCreditNote(document, {
        number: 'CN-000001',
        memo: null,
        createdAt: new Date('2026-11-20T10:00:00Z'),
        lines: lines.map(({ index, ...line }) => {
          const source = invoice.lines[index] as (typeof invoice.lines)[number]
          return { ...line, invoiceLineId: source.id, description: source.description }
        }),
      })
      expectTotals(model)
      expect(model.totals).toMatchObject({ includingVat: total, vat: taxTotal, paid: 0n })
      expect(model).toMatchObject({
        typeCode: '381',
        precedingInvoice: { number: 'INV-000042', issueDate: '2026-11-19' },
      })
      expect(violationsOf(model)).toEqual([])
    }),
    pureRuns,
  )
})

const [sample] = fc.sample(generatedInvoices, { numRuns: 1, seed: 1 }) as [InvoicedDocument]
const [first] = sample.invoice.lines as unknown as [InvoicedDocument['invoice']['lines'][number]]
const standard = { id: null, percentage: '19', inclusive: false, category: 'S', note: null }

/** An invoice with one line of 100.00, with changes. */
function oneLine(
  line: object,
  {
    seller = {},
    customer = {},
    ...rest
  }: { seller?: object; customer?: object; profile?: InvoicedDocument['profile'] } = {},
): InvoicedDocument {
  const base = {
    ...first,
    kind: 'one_time',
    amount: 10_000n,
    quantity: 1,
    discounts: [],
    taxRate: standard,
    ...line,
  }
  const document = finalized([base as never])
  return {
    ...document,
    ...rest,
    parties: { seller: { ...parties.seller, ...seller }, customer: { ...parties.customer, ...customer } },
  }
}
const rulesOf = (document: InvoicedDocument) =>
  violationsOf(fromInvoice(document)).map(({ field, rule }) => `${field} ${rule}`)

const withRate = (category: string, percentage = '0', note: string | null = null) => ({
  taxRate: { ...standard, category, percentage, note },
})

test.each([
  ['a complete invoice', oneLine({}), []],
  [
    'no customer',
    oneLine({}, { customer: { name: null, address: null } }),
    ['customer.name BR-7', 'customer.address.country BR-11'],
  ],
  [
    'no seller',
    oneLine({}, { seller: { legal_name: null, address: null } }),
    ['seller.legal_name BR-6', 'seller.address.country BR-9'],
  ],
  ['standard rate without a VAT id', oneLine({}, { seller: { tax_ids: [] } }), ['seller.tax_ids BR-S-2']],
  [
    'an unidentified seller',
    oneLine({}, { seller: { tax_ids: [{ type: 'de_stn', value: '1/2' }], registration: null } }),
    ['seller.tax_ids BR-CO-26'],
  ],
  ['a standard rate of zero', oneLine(withRate('S')), ['lines[0].tax_rate_id BR-S-5']],
  ['an exempt line with a percentage', oneLine(withRate('E', '19', 'Why')), ['lines[0].tax_rate_id BR-E-5']],
  [
    'reverse charge without the VAT id of the customer',
    oneLine(withRate('AE'), { customer: { tax_ids: [] } }),
    ['customer.tax_ids BR-AE-2'],
  ],
  [
    'intra-community supply without the VAT id of the customer',
    oneLine(withRate('K'), { customer: { tax_ids: [] } }),
    ['customer.tax_ids BR-IC-2'],
  ],
  [
    'export by a seller without a VAT id',
    oneLine(withRate('G'), { seller: { tax_ids: [] } }),
    ['seller.tax_ids BR-G-2'],
  ],
  ['no tax rate', oneLine({ taxRate: null }), ['lines[0].tax_rate_id BR-CO-4']],
  [
    'no tax rate of a small business',
    oneLine({ taxRate: null }, { seller: { vat_scheme: 'small_business' } }),
    [],
  ],
  ['no tax rate of a seller without tax ids', oneLine({ taxRate: null }, { seller: { tax_ids: [] } }), []],
  ['only an amount carried over', oneLine({ kind: 'carried' }), ['lines BR-16']],
  ['XRechnung', oneLine({}, { profile: 'xrechnung' }), []],
  ['Peppol', oneLine({}, { profile: 'peppol' }), []],
  [
    'XRechnung without what it requires',
    oneLine(
      {},
      {
        profile: 'xrechnung',
        seller: { contact: null },
        customer: { buyer_reference: null, address: { country: 'DE' } },
      },
    ),
    [
      'customer.buyer_reference BR-DE-15',
      'seller.contact.phone BR-DE-6',
      'seller.contact.email BR-DE-7',
      'customer.address.city BR-DE-8',
      'customer.address.postal_code BR-DE-9',
    ],
  ],
  [
    'Peppol without participants',
    oneLine(
      {},
      { profile: 'peppol', seller: { electronic_address: null }, customer: { electronic_address: null } },
    ),
    ['seller.electronic_address PEPPOL-EN16931-R020', 'customer.electronic_address PEPPOL-EN16931-R010'],
  ],
])('%s: the fields that are missing are named', (_, document, expected) => {
  expect(rulesOf(document)).toEqual(expected)
})

test('an invoice in a currency with three decimals has no e-invoice', () => {
  const document = oneLine({})
  const invoice = { ...document.invoice, currency: 'kwd' } as const

  expect(rulesOf({ ...document, invoice })).toEqual(['currency BR-DEC-12'])
})

test('lines that are not subject to tax cannot be mixed with others, and remove the VAT ids', () => {
  const outOfScope = withRate('O')
  const mixed = finalized([
    { ...first, ...outOfScope },
    { ...first, taxRate: standard },
  ] as never)

  expect(rulesOf(mixed)).toContain('lines BR-O-11')
  const model = fromInvoice(oneLine(outOfScope))
  expect(violationsOf(model)).toEqual([])
  expect([model.seller.vatId, model.buyer.vatId]).toEqual([null, null])
})

test('an amount carried over changes what is payable, not the tax', () => {
  const document = oneLine({})
  const carried = {
    ...document.invoice.lines[0],
    kind: 'carried',
    amount: 30n,
    net: 30n,
    tax: 0n,
    taxRate: null,
  }
  const invoice = {
    ...document.invoice,
    lines: [...document.invoice.lines, carried as never],
    amountDue: 11_930n,
  }

  const { lines, totals } = fromInvoice({ ...document, invoice })

  expect(lines).toHaveLength(1)
  expect(totals).toMatchObject({ includingVat: 11_900n, paid: -30n, payable: 11_930n })
})

test('a credit note that came later does not change the invoice', () => {
  const document = oneLine({})
  const invoice = { ...document.invoice, amountDue: 11_900n - 5000n, creditedOwed: 5000n }

  expect(fromInvoice({ ...document, invoice }).totals).toMatchObject({ paid: 0n, payable: 11_900n })
})

test('the last day of a period is the day before the next period', () => {
  expect(fromInvoice(oneLine({})).period).toEqual({ start: '2026-11-01', end: '2026-11-30' })
})

/**
 * The EN 16931 model of a finalized invoice, and of a credit note. It states what was invoiced: payments and credit notes
 * that came later do not change it. All amounts are taken from the lines as they are stored, and nothing is calculated
 * again, so that the e-invoice, the PDF and the ledger agree to the minor unit.
 */
import { civilDateIn } from '../../../kernel/calendar.ts'
import type { TaxRate } from '../../../kernel/invoice-arithmetic.ts'
import {
  type DocumentLanguage,
  documentLanguageOf,
  type Parties,
  type SellerParty,
} from '../../../kernel/parties.ts'
import {
  breakdownOf,
  type DatePeriod,
  type EInvoice,
  type ModelLine,
  type PaymentInstructions,
  type Profile,
  type TaxedModelLine,
  totalsOf,
  type VatCategory,
  vatCategories,
} from './e-invoice-model.ts'
import { buyerOf, sellerOf } from './e-invoice-parties.ts'
import type { Invoice, Line } from './invoice.ts'
import { pdfTexts } from './pdf-texts.ts'
import { smallBusinessNotes, taxNoteOf } from './tax-notes.ts'

/** A finalized invoice, with the copy of its parties. */
export type InvoicedDocument = {
  readonly invoice: Pick<
    Invoice,
    | 'currency'
    | 'lines'
    | 'collectionMethod'
    | 'purchaseOrder'
    | 'memo'
    | 'amountDue'
    | 'creditedOwed'
    | 'dueAt'
  > & { readonly number: string; readonly finalizedAt: Date }
  readonly parties: Parties
  readonly profile: Profile
}

export type CreditedDocument = {
  readonly number: string
  readonly memo: string | null
  readonly createdAt: Date
  readonly lines: readonly {
    readonly invoiceLineId: Line['id']
    readonly description: string | null
    readonly amount: bigint
    readonly tax: bigint
  }[]
}

export function fromInvoice({ invoice, parties, profile }: InvoicedDocument): EInvoice {
  const { seller } = parties
  const language = documentLanguageOf(parties.customer.locale)
  // A carried line moves an amount to another invoice, which states its tax. It changes only what is payable.
  const lines = invoice.lines
    .filter(({ kind }) => kind !== 'carried')
    .map((line, index): TaxedModelLine => {
      const { amount, discounts = [], net, tax, taxRate = null, service, explanation } = line
      // Discounts of amounts that include tax would have to be rounded again, so the price is after discounts.
      const isDiscountShown = taxRate?.inclusive !== true
      return {
        id: String(index + 1),
        name: line.description ?? pdfTexts[language].kinds[line.kind],
        ...unitsOf(line.quantity, isDiscountShown ? amount : net, explanation.unitAmountDecimal),
        adjustments: isDiscountShown
          ? discounts.filter((discount) => discount.amount !== 0n).map(adjustmentOf)
          : [],
        net,
        tax,
        period: periodOf(service, seller.time_zone),
        ...vatOf(taxRate, seller, language),
      }
    })
  return {
    ...commonOf(parties, profile, lines),
    typeCode: '380',
    number: invoice.number,
    issueDate: dateOf(invoice.finalizedAt, seller.time_zone),
    dueDate: invoice.dueAt === null ? null : dateOf(invoice.dueAt, seller.time_zone),
    currency: invoice.currency,
    purchaseOrder: invoice.purchaseOrder,
    note: invoice.memo,
    precedingInvoice: null,
    payment: paymentOf(invoice, seller),
    paymentTerms: null,
    totals: totalsOf(lines, breakdownOf(lines), invoice.amountDue + invoice.creditedOwed),
  }
}

/**
 * The amounts of a credit note are positive: the document type implies that they are credited. Only a line that is itself a
 * credit is negative, if the note reverses the whole invoice.
 */
export function fromCreditNote(
  { invoice, parties, profile }: InvoicedDocument,
  note: CreditedDocument,
): EInvoice {
  const { seller } = parties
  const language = documentLanguageOf(parties.customer.locale)
  const invoiced = new Map(invoice.lines.map((line) => [line.id, line]))
  const credited = note.lines.filter(({ invoiceLineId }) => invoiced.get(invoiceLineId)?.kind !== 'carried')
  const lines = credited.map(({ invoiceLineId, description, amount, tax }, index): TaxedModelLine => {
    const source = invoiced.get(invoiceLineId)
    const taxRate = source?.taxRate ?? null
    const net = taxRate?.inclusive ? amount - tax : amount
    return {
      id: String(index + 1),
      name: description ?? pdfTexts[language].description,
      ...unitsOf(1, net, null),
      adjustments: [],
      net,
      tax,
      period: source === undefined ? null : periodOf(source.service, seller.time_zone),
      ...vatOf(taxRate, seller, language),
    }
  })
  return {
    ...commonOf(parties, profile, lines),
    typeCode: '381',
    number: note.number,
    issueDate: dateOf(note.createdAt, seller.time_zone),
    dueDate: null,
    currency: invoice.currency,
    purchaseOrder: invoice.purchaseOrder,
    note: note.memo,
    precedingInvoice: {
      number: invoice.number,
      issueDate: dateOf(invoice.finalizedAt, seller.time_zone),
    },
    payment: { meansCode: '97', reference: note.number, account: null },
    paymentTerms: `${pdfTexts[language].forInvoice} ${invoice.number}`,
    totals: totalsOf(lines, breakdownOf(lines), null),
  }
}

function commonOf({ seller, customer }: Parties, profile: Profile, lines: readonly TaxedModelLine[]) {
  const breakdown = breakdownOf(lines)
  const isOutOfScope = breakdown.some(({ category }) => category === 'O')
  const buyer = buyerOf(customer, profile, isOutOfScope)
  return {
    profile,
    seller: sellerOf(seller, profile, isOutOfScope),
    buyer,
    buyerReference: customer.buyer_reference ?? null,
    period: spanOf(lines),
    deliveryCountry: breakdown.some(({ category }) => category === 'K') ? buyer.address.country : null,
    lines: lines.map(({ tax: _tax, reason: _reason, ...line }) => line),
    breakdown,
  }
}

/**
 * The price of one unit if it is exact. Otherwise the whole amount is the price of all units, because the quantity times
 * the price must be the amount: for prorated lines, tiers, and amounts that include tax.
 */
function unitsOf(
  count: number,
  amount: bigint,
  unitAmount: string | null,
): Pick<ModelLine, 'quantity' | 'price' | 'baseQuantity'> {
  const sign = amount < 0n ? -1 : 1
  const whole = amount < 0n ? -amount : amount
  const unit = unitAmount?.replace('-', '') ?? null
  if (unit !== null && isExact(unit, count, whole))
    return { quantity: sign * count, price: unit, baseQuantity: 1 }
  const units = count > 0 ? count : 1
  return { quantity: sign * units, price: String(whole), baseQuantity: units }
}

function isExact(unit: string, count: number, amount: bigint): boolean {
  const [whole = '0', fraction = ''] = unit.split('.')
  return BigInt(whole + fraction) * BigInt(count) === amount * 10n ** BigInt(fraction.length)
}

/** A credit line reverses its discount, which becomes a charge. */
function adjustmentOf({ name, amount }: { readonly name: string; readonly amount: bigint }) {
  return { isCharge: amount < 0n, amount: amount < 0n ? -amount : amount, reason: name }
}

/**
 * A line without a tax rate is exempt if the seller is a small business, and not subject to tax if the seller has no
 * tax id at all. Otherwise its category is unknown.
 */
function vatOf(
  rate: TaxRate | null,
  seller: SellerParty,
  language: DocumentLanguage,
): Pick<TaxedModelLine, 'category' | 'percentage' | 'reason'> {
  if (rate !== null)
    return { category: categoryOf(rate), percentage: rate.percentage, reason: taxNoteOf(rate, language) }
  if (seller.vat_scheme === 'small_business')
    return { category: 'E', percentage: '0', reason: smallBusinessNotes[language] }
  return { category: seller.tax_ids.length === 0 ? 'O' : null, percentage: '0', reason: null }
}

function categoryOf({ category }: TaxRate): VatCategory | null {
  return vatCategories.find((known) => known === category) ?? null
}

/** A transfer if the customer pays the invoice and the seller has an account, otherwise an online payment. */
function paymentOf(
  { number, collectionMethod, currency }: InvoicedDocument['invoice'],
  { bank, legal_name }: SellerParty,
): PaymentInstructions {
  if (collectionMethod !== 'send_invoice' || bank === null || bank.iban === null)
    return { meansCode: '68', reference: number, account: null }
  const { iban, bic, account_holder } = bank
  return {
    meansCode: currency === 'eur' ? '58' : '30',
    reference: number,
    account: { iban, bic, holder: account_holder ?? legal_name },
  }
}

function dateOf(at: Date, timeZone: string): string {
  const { year, month, day } = civilDateIn(at, timeZone)
  const digits = (value: number, count: number) => String(value).padStart(count, '0')
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`
}

/** The first and the last day. A service period ends when the next one starts, so that moment is not part of it. */
function periodOf({ startAt, endAt }: Line['service'], timeZone: string): DatePeriod {
  const lastAt = endAt > startAt ? new Date(endAt.getTime() - 1) : startAt
  return { start: dateOf(startAt, timeZone), end: dateOf(lastAt, timeZone) }
}

function spanOf(lines: readonly ModelLine[]): DatePeriod | null {
  const periods = lines.flatMap(({ period }) => (period === null ? [] : [period]))
  const start = periods
    .map((period) => period.start)
    .toSorted()
    .at(0)
  const end = periods
    .map((period) => period.end)
    .toSorted()
    .at(-1)
  return start === undefined || end === undefined ? null : { start, end }
}

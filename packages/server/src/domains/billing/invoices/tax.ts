/**
 * The tax of an invoice that a tax provider computes: the states, the input of a quote, and the amounts that follow. No
 * side effects.
 */
import type { Id } from '../../../kernel/id.ts'
import { taxOn } from '../../../kernel/invoice-arithmetic.ts'
import { discountOfLine, type LineDraft } from '../../../kernel/invoice-lines.ts'
import type { Parties, TaxedPrice } from '../../../kernel/parties.ts'
import {
  type QuotedLine,
  rateOfQuote,
  shareOfTax,
  type TaxInput,
  type TaxQuote,
} from '../../../kernel/tax-quotes.ts'
import type { Invoice, Line } from './invoice.ts'

/**
 * `pending`: to be computed. `ready`: the draft can be finalized. `failed`: to be computed, and needs attention.
 * `committing`: finalized, to be recorded at the provider. `committed`: recorded.
 */
export const taxStatuses = ['pending', 'ready', 'failed', 'committing', 'committed'] as const
export type TaxStatus = (typeof taxStatuses)[number]

/** After this time without an answer, drafts and documents need attention. */
export const attentionSeconds = 24 * 60 * 60
/** A quote that expires within this time is not used. */
export const quoteMarginSeconds = 24 * 60 * 60

const [firstRetrySeconds, longestRetrySeconds] = [30, 60 * 60]

/** 30 seconds after the first failure, then twice as long each time, up to an hour. */
export function retrySecondsAfter(attempts: number): number {
  return Math.min(longestRetrySeconds, firstRetrySeconds * 2 ** Math.min(attempts - 1, 10))
}

export type TaxFacts = {
  readonly parties: Parties
  readonly isExempt: boolean
  readonly prices: ReadonlyMap<Id<'price'>, TaxedPrice>
}

const afterDiscounts = (line: LineDraft) => line.amount - discountOfLine(line)

/** Credit lines reverse tax that was recorded before, and carried amounts were taxed before. */
const isAsked = (line: Line) => line.kind !== 'carried' && afterDiscounts(line) > 0n

export function taxInputOf(invoice: Invoice, { parties, isExempt, prices }: TaxFacts): TaxInput {
  const { seller, customer } = parties
  return {
    currency: invoice.currency,
    seller: { address: seller.address, taxIds: seller.tax_ids },
    customer: { id: invoice.customerId, address: customer.address, taxIds: customer.tax_ids, isExempt },
    // A small business charges no tax, so nothing is quoted or recorded.
    lines: (seller.vat_scheme === 'small_business' ? [] : invoice.lines.filter(isAsked)).map((line) => {
      const price = line.priceId === null ? undefined : prices.get(line.priceId)
      return {
        reference: line.id,
        amount: String(afterDiscounts(line)),
        quantity: Math.max(1, Math.min(line.quantity, 1_000_000)),
        // The customer has paid the total already, so the tax is a part of it.
        inclusive: invoice.pendingPaymentId !== null || price?.isInclusive === true,
        taxCode: price?.taxCode ?? null,
        description: line.description,
      }
    }),
  }
}

/** A line that another invoice has billed, with its tax. */
export type SourceLine = { readonly amount: bigint; readonly tax: bigint }

/** The lines with the tax of the quote. Credit lines reverse a share of the tax of the line that they refer to. */
export function withQuotedTax(
  lines: readonly Line[],
  input: TaxInput,
  { lines: quotedLines }: TaxQuote,
  sources: ReadonlyMap<string, SourceLine>,
): Line[] {
  const quotes = new Map(quotedLines.map((quoted) => [quoted.reference, quoted]))
  const inclusive = new Map(input.lines.map((line) => [line.reference, line.inclusive]))
  return lines.map(({ quotedTax: _, ...line }) => {
    const quoted = quotes.get(line.id)
    if (quoted !== undefined) return withQuote(line, quoted, inclusive.get(line.id) === true)
    const { taxRate = null } = line
    if (taxRate === null || afterDiscounts(line) >= 0n) return { ...line, taxRate: null }
    if (taxRate.category !== 'S') return line
    const source = line.sourceLineId === null ? undefined : sources.get(line.sourceLineId)
    const tax =
      source === undefined ? taxOn(taxRate, afterDiscounts(line)) : shareOfTax(source, afterDiscounts(line))
    return { ...line, taxRate: { ...taxRate, id: null }, quotedTax: tax }
  })
}

function withQuote(line: Line, quoted: QuotedLine, inclusive: boolean): Line {
  const rated = { ...line, taxRate: rateOfQuote(quoted, inclusive) }
  return quoted.category === 'S' ? { ...rated, quotedTax: BigInt(quoted.tax) } : rated
}

/** An amount of a recorded line, and its tax, in minor units. */
export type ReversedLine = { readonly reference: string; readonly amount: string; readonly tax: string }

/** The remainder of a sale after its reversals. Lines that were fully reversed are omitted. */
export function leftOfSale(
  sale: { readonly input: TaxInput; readonly quote: TaxQuote },
  reversals: readonly { readonly lines: readonly ReversedLine[] }[],
): ReversedLine[] {
  const reversed = reversals.flatMap(({ lines }) => lines)
  return sale.input.lines.flatMap(({ reference, amount }) => {
    const tax = sale.quote.lines.find((line) => line.reference === reference)?.tax ?? '0'
    const ofLine = reversed.filter((line) => line.reference === reference)
    const leftAmount = ofLine.reduce((rest, line) => rest - BigInt(line.amount), BigInt(amount))
    const leftTax = ofLine.reduce((rest, line) => rest - BigInt(line.tax), BigInt(tax))
    return leftAmount > 0n || leftTax > 0n
      ? [{ reference, amount: String(leftAmount), tax: String(leftTax) }]
      : []
  })
}

/** Reverses at most what is left. Lines that are not part of the sale have no tax. */
export function withinSale(
  requested: readonly ReversedLine[],
  left: readonly ReversedLine[],
): ReversedLine[] {
  return requested.flatMap(({ reference, amount, tax }) => {
    const most = left.find((line) => line.reference === reference)
    if (most === undefined) return []
    return [{ reference, amount: smaller(amount, most.amount), tax: smaller(tax, most.tax) }]
  })
}

const smaller = (a: string, b: string) => (BigInt(a) < BigInt(b) ? a : b)

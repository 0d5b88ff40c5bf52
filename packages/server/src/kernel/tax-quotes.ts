/**
 * The request for a quote of an invoice, the quote, and the documents that a tax provider records. Amounts are minor
 * units as decimal text, so that everything can be stored as JSON and hashed.
 */
import { createHash } from 'node:crypto'
import type { Currency } from './currency.ts'
import type { TaxRate } from './invoice-arithmetic.ts'
import { canonical } from './json.ts'
import { mulDiv } from './money.ts'
import type { PostalAddress } from './parties.ts'

export type TaxedParty = {
  readonly address: PostalAddress | null
  readonly taxIds: readonly { readonly type: string; readonly value: string }[]
}

export type TaxInputLine = {
  /** The id of the invoice line. */
  readonly reference: string
  /** The amount after discounts, always positive. It contains the tax if `inclusive` is set. */
  readonly amount: string
  readonly quantity: number
  readonly inclusive: boolean
  readonly taxCode: string | null
  readonly description: string | null
}

export type TaxInput = {
  readonly currency: Currency
  readonly seller: TaxedParty
  readonly customer: TaxedParty & { readonly id: string; readonly isExempt: boolean }
  readonly lines: readonly TaxInputLine[]
}

export type QuotedLine = {
  readonly reference: string
  readonly tax: string
  /** The rate that the provider reports, such as `8.875`. */
  readonly percentage: string
  /** A category of EN 16931. Only `S` has tax. */
  readonly category: 'S' | 'Z' | 'E' | 'AE' | 'O'
}

export type TaxQuote = {
  /** The id of the calculation at the provider, if it stores calculations. */
  readonly ref: string | null
  /** Until then the provider can record the calculation. Null: no limit. */
  readonly expiresAt: string | null
  /** The day in UTC for which the tax was calculated. */
  readonly taxDate: string
  readonly lines: readonly QuotedLine[]
}

/** The sale that the provider records. The reference is the id of the invoice. */
export type TaxDocument = { readonly reference: string; readonly input: TaxInput; readonly quote: TaxQuote }

/** What the provider returned when it recorded a document. */
export type TaxRecord = {
  /** The id at the provider. */
  readonly ref: string
  /** The ids of its lines at the provider, by our references. */
  readonly lines: Readonly<Record<string, string>>
  /** The tax that the provider has recorded. */
  readonly tax: string
}

/** Reverses part of a recorded sale. Amounts are positive. The reference is the id of the credit note. */
export type TaxReversal = {
  readonly reference: string
  readonly original: TaxDocument & { readonly record: TaxRecord }
  readonly date: string
  readonly lines: readonly { readonly reference: string; readonly amount: string; readonly tax: string }[]
}

/**
 * Identifies the input of a quote. An edit, or a change of the seller or the customer, results in a different hash.
 */
export function hashOfTaxInput(provider: string, input: TaxInput): string {
  return createHash('sha256').update(canonical({ provider, input })).digest('hex')
}

export function sumOfTax(lines: readonly { readonly tax: string }[]): bigint {
  return lines.reduce((sum, { tax }) => sum + BigInt(tax), 0n)
}

/** The rate of a quoted line as invoices store it. The provider computed the tax, so the line refers to no tax rate. */
export function rateOfQuote({ percentage, category }: QuotedLine, inclusive: boolean): TaxRate {
  return { id: null, percentage, category, inclusive, note: null }
}

/** The tax that a credit line reverses: the share of its amount in the line that it refers to. */
export function shareOfTax(
  source: { readonly amount: bigint; readonly tax: bigint },
  amount: bigint,
): bigint {
  return source.amount === 0n ? 0n : mulDiv(source.tax, amount, source.amount)
}

/**
 * Formats a percentage: 19.00 as `19`, and with at most four decimal places. Null if it is not a percentage
 * from 0 to 100.
 */
export function percentageText(value: number): string | null {
  if (!(value >= 0 && value <= 100)) return null
  return String(Number(value.toFixed(4)))
}

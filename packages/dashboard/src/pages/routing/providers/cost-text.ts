/** The fees of an account as text, and as the rows of a form. No side effects. */
import type { ProviderAccount, SettledCost } from '@switchyard/sdk'
import { amountOf, moneyText, plainAmount } from '../../../format/money.ts'

export type Cost = ProviderAccount['costs'][number]

/** "EUR, visa, DE", or "All payments". */
export function segmentText(cost: Cost): string {
  const parts = [
    cost.currency?.toUpperCase(),
    cost.card_brands?.join(' or '),
    cost.card_countries?.join(' or '),
    cost.card_fundings?.join(' or '),
  ]
  return parts.filter((part) => part !== undefined).join(', ') || 'All payments'
}

/** "1.4% + €0.25". */
export function feeText({ basis_points, fixed_amount, currency }: Cost): string {
  const share = `${percentOf(basis_points)}%`
  if (fixed_amount === 0 || currency === null) return share
  const fixed = moneyText(fixed_amount, currency)
  return basis_points === 0 ? fixed : `${share} + ${fixed}`
}

/** "EUR 10.00 to 99.99, visa, DE, debit". */
export function settledSegmentText(cost: SettledCost): string {
  const { currency, min_amount: min, max_amount: max } = cost
  const amounts = `${currency.toUpperCase()} ${plainAmount(min, currency)} to ${plainAmount(max, currency)}`
  return [amounts, cost.card_brand, cost.card_country, cost.card_funding]
    .filter((part) => part !== null)
    .join(', ')
}

/** "1.4% + €0.25", "unknown" with too few lines, or the average fee if all amounts are equal. */
export function settledFeeText(cost: SettledCost): string {
  const { currency, basis_points: basisPoints, fixed_amount: fixed, lines, fee } = cost
  if (lines < 200) return 'unknown'
  if (basisPoints === null || fixed === null)
    return `${moneyText(Math.round(fee / lines), currency)} on average`
  const share = `${percentOf(Math.round(basisPoints))}%`
  const rounded = Math.round(fixed)
  if (rounded === 0) return share
  return `${share} ${rounded < 0 ? '−' : '+'} ${moneyText(Math.abs(rounded), currency)}`
}

/** A fee as typed: lists are separated by commas, and empty fields match any payment. */
export type CostRow = {
  readonly currency: string
  readonly brands: string
  readonly countries: string
  readonly fundings: string
  readonly percent: string
  readonly fixed: string
}

export const emptyRow: CostRow = {
  currency: '',
  brands: '',
  countries: '',
  fundings: '',
  percent: '',
  fixed: '',
}

export function rowOf(cost: Cost): CostRow {
  return {
    currency: cost.currency ?? '',
    brands: cost.card_brands?.join(', ') ?? '',
    countries: cost.card_countries?.join(', ') ?? '',
    fundings: cost.card_fundings?.join(', ') ?? '',
    percent: percentOf(cost.basis_points),
    fixed: cost.currency === null ? '' : plainAmount(cost.fixed_amount, cost.currency),
  }
}

/** Null if the percentage or the fixed amount is not valid. */
export function costOf(row: CostRow): Cost | null {
  const basisPoints = basisPointsOf(row.percent)
  const currency = row.currency === '' ? null : row.currency
  const fixed = row.fixed.trim() === '' || currency === null ? 0 : amountOf(row.fixed, currency)
  if (basisPoints === null || fixed === null) return null
  return {
    currency,
    card_brands: listOf(row.brands.toLowerCase()),
    card_countries: listOf(row.countries.toUpperCase()),
    card_fundings: listOf(row.fundings.toLowerCase()) as Cost['card_fundings'],
    basis_points: basisPoints,
    fixed_amount: fixed,
  }
}

/** "1.4" is 140. Null if the text is not a percentage from 0 to 100 with at most two decimal places. */
export function basisPointsOf(percent: string): number | null {
  const match = /^(\d{1,3})(?:[.,](\d{1,2}))?$/.exec(percent.trim())
  if (match === null) return null
  const points = Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0'))
  return points <= 10_000 ? points : null
}

const percentOf = (basisPoints: number) => String(basisPoints / 100)

function listOf(typed: string): string[] | null {
  const entries = typed.split(',').map((entry) => entry.trim())
  const values = entries.filter((entry) => entry !== '')
  return values.length === 0 ? null : values
}

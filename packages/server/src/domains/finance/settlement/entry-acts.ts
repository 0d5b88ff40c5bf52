/** The postings of payout entries and of unexplained lines. No side effects. */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import type { LineStatus, Resolution } from './settlement-line.ts'

export type PayoutEntry = {
  readonly id: Id<'payout_entry'>
  readonly providerAccountId: Id<'provider_account'>
  readonly payoutId: Id<'payout'> | null
  readonly currency: Currency
  readonly lineCurrency: Currency
  readonly amount: bigint
  readonly converted: bigint
  readonly feeProcessing: bigint
  readonly feeScheme: bigint
  readonly feeInterchange: bigint
  readonly feeAccount: bigint
  readonly rounding: bigint
  readonly paidOut: bigint
}

/** The act for positive amounts, the act for negative ones, and the line of both. */
const acts = {
  feeProcessing: ['processing_fee_charged', 'processing_fee_returned', 0],
  feeScheme: ['scheme_fee_charged', 'scheme_fee_returned', 1],
  feeInterchange: ['interchange_fee_charged', 'interchange_fee_returned', 2],
  feeAccount: ['account_fee_charged', 'account_fee_returned', 3],
  rounding: ['rounding_lost', 'rounding_gained', 4],
  paidOut: ['payout_paid', 'payout_returned', 5],
  amount: ['currency_sold', 'currency_bought', 6],
  converted: ['currency_bought', 'currency_sold', 7],
} as const

export function actsOfEntry(entry: PayoutEntry) {
  const { id: entryId, payoutId, providerAccountId, currency, lineCurrency } = entry
  const isConverted = currency !== lineCurrency
  return (Object.keys(acts) as (keyof typeof acts)[])
    .filter((member) => isConverted || (member !== 'amount' && member !== 'converted'))
    .map((member) => {
      const [positive, negative, line] = acts[member]
      const amount = entry[member]
      return {
        act: amount < 0n ? negative : positive,
        amount: amount < 0n ? -amount : amount,
        currency: member === 'amount' ? lineCurrency : currency,
        entryId,
        payoutId,
        providerAccountId,
        line,
      }
    })
    .filter(({ amount }) => amount !== 0n)
}

export type UnexplainedLine = {
  readonly id: Id<'settlement_line'>
  readonly providerAccountId: Id<'provider_account'>
  readonly status: LineStatus
  readonly amount: bigint
  readonly currency: Currency
  readonly postedAmount: bigint | null
  readonly suspense: bigint
  readonly postings: number
}

/** The part of a line that no posting explains. */
export function unexplainedOf({
  status,
  amount,
  postedAmount,
}: Pick<UnexplainedLine, 'status' | 'amount' | 'postedAmount'>): bigint {
  if (status === 'missing_here') return amount
  return status === 'amount_differs' ? amount - (postedAmount ?? 0n) : 0n
}

/** The act that changes what is in suspense for a line; null if nothing changes. */
export function unexplainedAct(line: UnexplainedLine) {
  const change = unexplainedOf(line) - line.suspense
  if (change === 0n) return null
  return {
    act: change > 0n ? ('unexplained_received' as const) : ('unexplained_withdrawn' as const),
    lineId: line.id,
    providerAccountId: line.providerAccountId,
    currency: line.currency,
    line: line.postings,
    amount: change > 0n ? change : -change,
  }
}

/** The account to which a resolved amount is moved; null if it stays in suspense. */
export function accountOf(resolution: Resolution, suspense: bigint) {
  switch (resolution) {
    case 'payment':
      return suspense > 0n ? ('sales' as const) : ('refunded' as const)
    case 'fee':
      return 'fees' as const
    case 'adjustment':
      return 'cash' as const
    default:
      return null
  }
}

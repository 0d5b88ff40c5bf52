/** A line of a settlement report, or a capture or refund for which no line was imported. */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id, Kind } from '../../../kernel/id.ts'

export const lineKinds = [
  'payment',
  'refund',
  'dispute',
  'dispute_reversal',
  'fee',
  'payout',
  'payout_reversal',
  'adjustment',
] as const
export type LineKind = (typeof lineKinds)[number]

export const lineStatuses = [
  'pending',
  'matched',
  'amount_differs',
  'missing_here',
  'missing_there',
  'resolved',
] as const
export type LineStatus = (typeof lineStatuses)[number]

/** The statuses that a person has to resolve. */
export const openStatuses = ['amount_differs', 'missing_here', 'missing_there'] as const

export const resolutions = ['payment', 'fee', 'adjustment', 'ignored'] as const
export type Resolution = (typeof resolutions)[number]

export type SettlementLine = {
  readonly id: Id<'settlement_line'>
  readonly providerAccountId: Id<'provider_account'>
  readonly importId: Id<'settlement_import'> | null
  readonly number: number | null
  readonly kind: LineKind
  readonly status: LineStatus
  readonly providerReference: string | null
  readonly ourReference: string | null
  /** The amount of the payment or refund. Positive if it increases the balance at the provider. */
  readonly amount: bigint
  readonly currency: Currency
  /** In the currency of the payout. */
  readonly gross: bigint
  readonly fee: bigint
  readonly net: bigint
  readonly settlementCurrency: Currency
  readonly payoutReference: string | null
  /**
   * The object that the line was matched with, or the capture or refund without a line. Null if there is
   * none.
   */
  readonly matchedId: Id<Kind> | null
  readonly postedAmount: bigint | null
  /** The amount that was posted to suspense for this line. */
  readonly suspense: bigint
  /** The number of ledger lines that are used, and whether suspense still has to be posted. */
  readonly postings: number
  readonly needsPosting: boolean
  readonly resolution: Resolution | null
  readonly note: string | null
  readonly resolvedAt: Date | null
  /** The values of the file by column; null if the line is in no file. */
  readonly raw: { readonly [column: string]: string } | null
  readonly createdAt: Date
  readonly version: number
}

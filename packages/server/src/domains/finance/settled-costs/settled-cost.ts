/** What payments of one segment have cost at a provider account, according to its settlement reports. */
import type { FeeSums } from './fee-sums.ts'

/** The details of a card. Null: unknown, or not in the reports. */
export type CardDetails = {
  readonly brand: string | null
  readonly country: string | null
  readonly funding: string | null
}

export type CostSegment = {
  readonly currency: string
  readonly card: CardDetails
  readonly amountBand: number
}

export type SettledCost = CostSegment & {
  /** The id of the provider account. */
  readonly account: string
  readonly sums: FeeSums
}

/** Which card details the reports of an account contain. */
export type StatedDetails = {
  readonly account: string
  readonly brand: boolean
  readonly country: boolean
  readonly funding: boolean
}

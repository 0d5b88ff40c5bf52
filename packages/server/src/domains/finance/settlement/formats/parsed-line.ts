import type { Currency } from '../../../../kernel/currency.ts'
import type { LineKind } from '../settlement-line.ts'

/** A line of a report in our terms. Amounts are in minor units, and positive if they increase the balance. */
export type ParsedLine = {
  readonly kind: LineKind
  readonly providerReference: string | null
  /** The provider's reference of the payment, if the line is about a refund or a dispute. */
  readonly paymentReference: string | null
  readonly ourReference: string | null
  readonly amount: bigint
  readonly currency: Currency
  readonly gross: bigint
  readonly feeProcessing: bigint
  readonly feeScheme: bigint
  readonly feeInterchange: bigint
  readonly net: bigint
  readonly settlementCurrency: Currency
  readonly payoutReference: string | null
  readonly payoutAt: Date | null
  /** In our terms. Null if the report does not state it. */
  readonly cardBrand: string | null
  readonly cardCountry: string | null
  readonly cardFunding: string | null
  readonly createdAt: Date
  /** What identifies the line at its provider account. */
  readonly key: readonly string[]
  /** Whether a file contains at most one line with this key. Otherwise equal lines are numbered. */
  readonly isKeyUnique: boolean
}

/** Converts one line of a file. Refuses a line that it cannot read. */
export type LineMapper = (values: readonly string[], number: number) => ParsedLine

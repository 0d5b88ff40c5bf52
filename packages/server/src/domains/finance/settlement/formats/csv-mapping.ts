import type { LineKind } from '../settlement-line.ts'

/** How the columns of a CSV file of any provider are read. It is saved per provider account. */
export type CsvMapping = {
  /** The name of the column for each member. */
  readonly columns: {
    readonly id?: string | undefined
    readonly type?: string | undefined
    readonly provider_reference?: string | undefined
    readonly payment_reference?: string | undefined
    readonly our_reference?: string | undefined
    readonly gross: string
    readonly fee?: string | undefined
    readonly net?: string | undefined
    readonly currency: string
    readonly created_at: string
    readonly payout_reference?: string | undefined
    readonly card_brand?: string | undefined
    readonly card_country?: string | undefined
    readonly card_funding?: string | undefined
  }
  /** The kind for each value of the `type` column. */
  readonly types?: { readonly [value: string]: LineKind } | undefined
  readonly amounts?: 'major' | 'minor' | undefined
  readonly decimal_separator?: '.' | ',' | undefined
  readonly delimiter?: ',' | ';' | '\t' | undefined
}

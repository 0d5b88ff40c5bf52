/** A tax rate. Everything but its name and whether it is active is immutable, because invoices refer to it. */
import type { Id } from '../../../kernel/id.ts'

/**
 * Categories of EN 16931. `S`: standard or reduced rate. `Z`: zero rate. `E`: exempt. `AE`: reverse charge.
 * `K`: intra-community supply. `G`: export. `O`: not subject to tax.
 */
export const taxCategories = ['S', 'Z', 'E', 'AE', 'K', 'G', 'O'] as const
export type TaxCategory = (typeof taxCategories)[number]

export type TaxRateTerms = {
  /** Without trailing zeros: `19`, `8.875`. */
  readonly percentage: string
  readonly country: string | null
  readonly category: TaxCategory
  readonly exemptionReason: string | null
}

export type TaxRate = TaxRateTerms & {
  readonly id: Id<'tax_rate'>
  readonly name: string
  readonly active: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Removes trailing and leading zeros, so that equal percentages are equal strings: `07.50` is `7.5`. */
export function normalizePercentage(text: string): string {
  const withoutLeading = text.replace(/^0+(?=\d)/, '')
  return withoutLeading.includes('.') ? withoutLeading.replace(/\.?0+$/, '') : withoutLeading
}

// Mutants of the arithmetic of invoices: each row breaks one rule, to prove that generated invoices detect it.

import type { Patch } from '../money/mutants/table.ts'

export type InvoiceMutant = { readonly name: string; readonly breaks: string; readonly patch: Patch }

const mutant = (name: string, breaks: string, file: string, from: string, to: string): InvoiceMutant => ({
  name,
  breaks,
  patch: { file: `kernel/${file}`, from, to },
})
const arithmetic = 'invoice-arithmetic.ts'
const schemes = 'price-schemes.ts'

// biome-ignore format: a table.
export const invoiceMutants: readonly InvoiceMutant[] = [
  mutant('rounding', 'amounts are rounded down', 'money.ts',
    '(2n * size + denominator) / (2n * denominator)', 'size / denominator'),
  mutant('split', 'a split loses the remaining units', 'money.ts',
    '(raised.has(part) ? 1n : 0n)', '(raised.has(part) ? 0n : 0n)'),
  mutant('tax_per_line', 'tax is rounded per line', arithmetic,
    'additionalTax(rate, group.taxable, amount)', 'taxOn(rate, amount)'),
  mutant('inclusive', 'included tax is calculated as if it were added', arithmetic,
    'inclusive ? denominator + numerator : denominator', 'denominator'),
  mutant('discount_cap', 'an amount off exceeds its lines', arithmetic,
    'return amount < base ? amount : base', 'return amount'),
  mutant('discount_order', 'a discount ignores the ones before it', arithmetic,
    'left[index] = (left[index] ?? 0n) - amount', 'left[index] = left[index] ?? 0n'),
  mutant('maximum', 'the maximum of a price has no effect', arithmetic,
    'maximum !== null && amount > maximum', 'maximum === -1n'),
  mutant('credit_note_tax', 'each credit note rounds its tax on its own', 'credit-note-arithmetic.ts',
    'taxOn(rate, before.amount + line.amount) - before.tax', 'taxOn(rate, line.amount)'),
  mutant('prorated_discount', 'proration ignores discounts', 'discounts.ts',
    'net -= discount.amount', 'net -= 0n'),
  mutant('tiers', 'a tier begins one unit too early', schemes,
    'quantity > startOf(index)', 'quantity >= startOf(index)'),
  mutant('packages', 'a partly used package is free', schemes,
    "terms.round === 'up' && whole * terms.size < quantity", "terms.round === 'up' && whole * terms.size > quantity"),
]

/** The lines of one-off invoices: their description in a request, and their calculated amount. No side effects. */
import type { Currency } from '../../../kernel/currency.ts'
import { type AttachedDiscount, discountLines } from '../../../kernel/discounts.ts'
import type { Id } from '../../../kernel/id.ts'
import { draftLine, type LineDraft, withDiscounts } from '../../../kernel/invoice-lines.ts'
import { factorsOf, type PriceFactors } from '../../../kernel/price-schemes.ts'

export type LineTerms = PriceFactors & {
  readonly description: string | null
  readonly quantity: number
  readonly priceId: Id<'price'> | null
  readonly service: { readonly startAt: Date; readonly endAt: Date }
}

/** A draft line; the id is null for a new line. */
export type EditedLine = LineDraft & {
  readonly id: Id<'invoice_line'> | null
  readonly description: string | null
}

export function draftOneOffLine(
  currency: Currency,
  { description, ...terms }: LineTerms,
  id: Id<'invoice_line'> | null,
): EditedLine {
  const line = draftLine(currency, {
    ...terms,
    rule: 'one_time',
    subscriptionItemId: null,
    numeratorSeconds: 1,
    denominatorSeconds: 1,
    changeId: null,
  })
  return { ...line, id, description }
}

/**
 * The lines with the discounts of their invoice. The amounts are calculated again from the terms of the
 * lines, because the share of a discount that one line gets depends on the other lines. `products` has the
 * product of each price.
 */
export function withInvoiceDiscounts(
  currency: Currency,
  lines: readonly EditedLine[],
  discounts: readonly AttachedDiscount[],
  products: ReadonlyMap<Id<'price'>, Id<'product'>>,
): EditedLine[] {
  const drafted = lines.map((line) => ({
    ...draftOneOffLine(currency, termsOfLine(line), line.id),
    taxRate: line.taxRate ?? null,
  }))
  const discountable = drafted.map(({ amount, priceId }) => ({
    amount,
    productId: priceId === null ? null : (products.get(priceId) ?? null),
  }))
  const applied = discountLines(currency, discountable, discounts)
  return drafted.map((line, index) => ({ ...line, ...withDiscounts(currency, line, applied[index] ?? []) }))
}

export function termsOfLine({ description, quantity, priceId, service, explanation }: EditedLine): LineTerms {
  return { description, quantity, priceId, service, ...factorsOf(explanation) }
}

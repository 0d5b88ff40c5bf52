/**
 * The tax rates that planning needs. They are loaded with the snapshot, so that a plan stays a pure calculation. A line
 * that bills time has the current rate of its price; a line that credits time has the rate of the line that billed it.
 */
import type { Id } from '../../../../kernel/id.ts'
import type { TaxRate } from '../../../../kernel/invoice-arithmetic.ts'
import type { LineDraft } from '../../../../kernel/invoice-lines.ts'
import type { Item } from '../subscription.ts'

/** A line that billed an item for the current period. */
export type ChargedLine = {
  /** Null if the line is planned and not stored yet. */
  readonly id: Id<'invoice_line'> | null
  readonly subscriptionItemId: Id<'subscription_item'> | null
  readonly priceId: Id<'price'> | null
  readonly quantity: number
  readonly taxRate: TaxRate | null
}

export type TaxFacts = {
  /** The current rates. Prices that are not taxed have none. */
  readonly rates: ReadonlyMap<Id<'price'>, TaxRate>
  /** Oldest first. */
  readonly charged: readonly ChargedLine[]
  /** The product names of prices, if they were loaded with the rates. Otherwise they are read with the draft. */
  readonly names?: ReadonlyMap<Id<'price'>, string>
  /** The rate of an amount without a price. */
  readonly unpriced?: TaxRate | null
}

export const noTax: TaxFacts = { rates: new Map(), charged: [] }

/** The rate and the name of a line that bills an item. */
export function chargeOf(
  { rates, names }: TaxFacts,
  { priceId }: Pick<Item, 'priceId'>,
): Pick<LineDraft, 'taxRate' | 'description'> {
  return { taxRate: rates.get(priceId) ?? null, description: names?.get(priceId) ?? null }
}

/** The rate and the id of the latest line that billed the item. Without such a line there was no tax. */
export function creditOf(
  { charged }: TaxFacts,
  { id, priceId, quantity }: Item,
): Pick<LineDraft, 'taxRate' | 'sourceLineId'> {
  const ofPrice = charged.filter((line) => line.subscriptionItemId === id && line.priceId === priceId)
  const line = ofPrice.findLast((candidate) => candidate.quantity === quantity) ?? ofPrice.at(-1)
  return { taxRate: line?.taxRate ?? null, sourceLineId: line?.id ?? null }
}

/** The lines of a plan that bill items. */
export function chargedBy(lines: readonly LineDraft[]): ChargedLine[] {
  return lines
    .filter(({ kind }) => kind === 'cycle' || kind === 'proration_debit')
    .map(({ subscriptionItemId, priceId, quantity, taxRate = null }) => ({
      id: null,
      subscriptionItemId,
      priceId,
      quantity,
      taxRate,
    }))
}

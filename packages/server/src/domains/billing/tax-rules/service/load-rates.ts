/** Loads the tax rates of prices for customers: two statements for any number of them. */
import type { Id } from '../../../../kernel/id.ts'
import type { TaxRate } from '../../../../kernel/invoice-arithmetic.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import { taxOfCustomer } from '../decide.ts'
import { findPricesAndCustomers } from '../store/facts.ts'
import { findSetup } from '../store.ts'

export type LoadedRates = {
  /** The current rates. Prices that are not taxed have none. */
  readonly rates: ReadonlyMap<Id<'price'>, TaxRate>
  /** The product names of the prices. */
  readonly names: ReadonlyMap<Id<'price'>, string>
  /** The rate of an amount without a price. */
  readonly unpriced: TaxRate | null
}

type Billed = {
  readonly customerId: Id<'customer'>
  readonly items: readonly { readonly priceId: Id<'price'> }[]
}

/** The rates and names of the prices that each customer is billed for, in the same order. */
export async function loadTaxRates(view: View, billed: readonly Billed[]): Promise<LoadedRates[]> {
  const prices = new Set(billed.flatMap(({ items }) => items.map(({ priceId }) => priceId)))
  const customers = new Set(billed.map(({ customerId }) => customerId))
  const facts = await findPricesAndCustomers(view, [...prices], [...customers])
  const names = new Map([...facts.prices].map(([id, { name }]) => [id, name]))
  // With a tax provider, the tax is computed after the draft was written.
  if (facts.mode !== 'rates') return billed.map(() => ({ rates: new Map(), names, unpriced: null }))
  const setup = await findSetup(view)
  return billed.map(({ customerId, items }) => {
    const rateOf = taxOfCustomer(setup, facts.customers.get(customerId) ?? unknownCustomer)
    const rates = new Map(
      items.flatMap(({ priceId }): [Id<'price'>, TaxRate][] => {
        const price = facts.prices.get(priceId)
        const rate = price === undefined ? null : rateOf(price)
        return rate === null ? [] : [[priceId, rate]]
      }),
    )
    return { rates, names, unpriced: rateOf({ isInclusive: false, taxCode: null }) }
  })
}

/** The prices of the lines, and the customers who are exempt, for a tax provider. */
export async function loadTaxedPrices(
  view: View,
  invoices: readonly {
    readonly customerId: Id<'customer'>
    readonly lines: readonly { readonly priceId: Id<'price'> | null }[]
  }[],
) {
  const prices = new Set(invoices.flatMap(({ lines }) => lines.flatMap(({ priceId }) => priceId ?? [])))
  const customers = new Set(invoices.map(({ customerId }) => customerId))
  const facts = await findPricesAndCustomers(view, [...prices], [...customers])
  const exempt = [...facts.customers].filter(([, { isExempt }]) => isExempt).map(([id]) => id)
  return { prices: facts.prices, exempt: new Set(exempt) }
}

/** Whether tax has to be added to one of the prices. */
export async function isTaxAdded(view: View, prices: readonly Id<'price'>[]): Promise<boolean> {
  const facts = await findPricesAndCustomers(view, prices, [])
  return facts.mode !== 'none' && [...facts.prices.values()].some(({ isInclusive }) => !isInclusive)
}

const unknownCustomer = { country: null, taxIds: [], isExempt: false }

/** Prices to choose from, with the names of their products. */
import type { Price } from '@switchyard/sdk'
import { useObject } from '../../api/queries.ts'
import type { Option } from '../../ui/fields.tsx'
import { priceText } from './price-text.ts'

/** The maximum number of prices that are loaded. */
const maxPrices = 100

export function usePriceOptions(currency?: string): readonly Option[] {
  const { data } = useObject(['price', 'options'], async (api) => {
    const [prices, products] = await Promise.all([
      api.prices.list().all({ max: maxPrices }),
      api.products.list().all({ max: maxPrices }),
    ])
    return { prices, names: new Map(products.map(({ id, name }) => [id, name])) }
  })
  return (data?.prices ?? [])
    .filter((price) => isSelectable(price, currency))
    .map((price) => ({
      value: price.id,
      text: `${data?.names.get(price.product_id) ?? price.product_id}, ${priceText(price)}${price.active ? '' : ' (archived)'}`,
    }))
}

function isSelectable(price: Price, currency: string | undefined): boolean {
  return price.recurring !== null && (currency === undefined || price.currency === currency)
}

/** Prices to choose from, with the names of their products. */
import type { Price } from '@switchyard/sdk'
import { useObject } from '../../api/queries.ts'
import type { Option } from '../../ui/fields.tsx'
import { priceText } from './price-words.ts'

/** More than these are looked up by id or by key. */
const most = 100

export function usePriceOptions(currency?: string): readonly Option[] {
  const { data } = useObject(['price', 'options'], async (api) => {
    const [prices, products] = await Promise.all([
      api.prices.list().all({ max: most }),
      api.products.list().all({ max: most }),
    ])
    return { prices, names: new Map(products.map(({ id, name }) => [id, name])) }
  })
  return (data?.prices ?? [])
    .filter((price) => isFor(price, currency))
    .map((price) => ({
      value: price.id,
      text: `${data?.names.get(price.product_id) ?? price.product_id}, ${priceText(price)}${price.active ? '' : ' (archived)'}`,
    }))
}

function isFor(price: Price, currency: string | undefined): boolean {
  return price.recurring !== null && (currency === undefined || price.currency === currency)
}

// The products of the shop. Amounts never come from the browser: they are defined here, or by the price in Switchyard.

import type { Switchyard } from '@switchyard/sdk'

export const currency = 'eur'

export const atlas = {
  title: 'Atlas of Small Harbours',
  about: 'Eighty harbours that no ferry calls at, as an e-book. Paid once.',
  amount: 2400,
} as const

export const letter = {
  title: 'The Harbour Letter',
  about: 'One long letter each month. Pause it or cancel it whenever you like.',
  amount: 500,
  /** The lookup key of its price in Switchyard, so that no id has to be stored. */
  lookupKey: 'example-shop-letter',
} as const

export const items = { atlas, letter } as const
export type Item = keyof typeof items

/** The id of the price, which is created at the first start. The idempotency keys let an interrupted start resume. */
export async function ensurePrice(switchyard: Switchyard): Promise<string> {
  const { data } = await switchyard.prices.list({ lookup_key: letter.lookupKey }).page()
  if (data[0] !== undefined) return data[0].id
  const product = await switchyard.products.create(
    { name: letter.title },
    { idempotencyKey: `${letter.lookupKey}-product` },
  )
  const price = await switchyard.prices.create(
    {
      product_id: product.id,
      currency,
      unit_amount: letter.amount,
      recurring: { interval: 'month' },
      lookup_key: letter.lookupKey,
    },
    { idempotencyKey: `${letter.lookupKey}-price` },
  )
  return price.id
}

const formats = new Intl.NumberFormat('en', { style: 'currency', currency })

export function priceOf(item: Item): string {
  return formats.format(items[item].amount / 100)
}

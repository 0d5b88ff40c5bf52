import { defineEvent } from '../../platform/db/events.ts'
import type { Price } from './price.ts'
import type { Product } from './product.ts'
import { PriceObject, presentPrice } from './schema/price.ts'
import { ProductObject, presentProduct } from './schema/product.ts'

const product = (type: `product.${string}`, about: string, example?: { before: object }) =>
  defineEvent<Product>({
    ...{ type, about, schema: ProductObject, present: presentProduct },
    ...(example === undefined ? {} : { example }),
  })

export const productCreated = product('product.created', 'A product was created.')
export const productUpdated = product(
  'product.updated',
  'Something about a product changed; `previous` holds what it was.',
  { before: { name: 'Group plan' } },
)
export const productDeleted = product('product.deleted', 'A product was deleted. It had no prices.')

const price = (type: `price.${string}`, about: string, example?: { before: object }) =>
  defineEvent<Price>({
    ...{ type, about, schema: PriceObject, present: presentPrice },
    ...(example === undefined ? {} : { example }),
  })

export const priceCreated = price('price.created', 'A price was created.')
export const priceUpdated = price(
  'price.updated',
  'Something about a price changed; `previous` holds what it was. Its money never does.',
  { before: { lookup_key: null } },
)
export const priceDeleted = price('price.deleted', 'A price was deleted. Nobody was ever billed by it.')

export const productEvents = [
  productCreated,
  productUpdated,
  productDeleted,
  priceCreated,
  priceUpdated,
  priceDeleted,
]

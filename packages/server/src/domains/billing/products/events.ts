import { defineEvent } from '../../../platform/db/events.ts'
import type { Price } from './price.ts'
import type { Product } from './product.ts'
import { PriceObject, presentPrice } from './schema/price.ts'
import { ProductObject, presentProduct } from './schema/product.ts'

const defineProductEvent = (type: `product.${string}`, about: string, example?: { before: object }) =>
  defineEvent<Product>({
    type,
    about,
    schema: ProductObject,
    present: presentProduct,
    ...(example === undefined ? {} : { example }),
  })

export const productCreated = defineProductEvent('product.created', 'A product was created.')
export const productUpdated = defineProductEvent(
  'product.updated',
  'A product was updated. `previous` contains the old values.',
  { before: { name: 'Group plan' } },
)
export const productDeleted = defineProductEvent(
  'product.deleted',
  'A product was deleted. Only products without prices can be deleted.',
)

const definePriceEvent = (type: `price.${string}`, about: string, example?: { before: object }) =>
  defineEvent<Price>({
    type,
    about,
    schema: PriceObject,
    present: presentPrice,
    ...(example === undefined ? {} : { example }),
  })

export const priceCreated = definePriceEvent('price.created', 'A price was created.')
export const priceUpdated = definePriceEvent(
  'price.updated',
  'A price was updated. `previous` contains the old values. The amount of a price never changes.',
  { before: { lookup_key: null } },
)
export const priceDeleted = definePriceEvent(
  'price.deleted',
  'A price was deleted. Only prices that have never been used can be deleted.',
)

export const productEvents = [
  productCreated,
  productUpdated,
  productDeleted,
  priceCreated,
  priceUpdated,
  priceDeleted,
]

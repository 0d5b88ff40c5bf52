import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import {
  CreatePrice,
  DeletedPrice,
  PriceObject,
  PricePath,
  presentDeletedPrice,
  presentPrice,
  UpdatePrice,
} from './schema/price.ts'
import {
  CreateProduct,
  DeletedProduct,
  ProductObject,
  ProductPath,
  presentDeletedProduct,
  presentProduct,
  UpdateProduct,
} from './schema/product.ts'
import { createPrice, deletePrice, getPrice, listPrices, updatePrice } from './service/prices.ts'
import { createProduct, deleteProduct, getProduct, listProducts, updateProduct } from './service/products.ts'

const version = (row: { readonly version: number }) => row.version

export const productOperations = (deps: Deps) => [
  operation({
    id: 'products.create',
    method: 'POST',
    path: '/products',
    summary: 'Create a product',
    description: 'What it costs is said by its prices, of which it may have any number, in any currency.',
    body: CreateProduct,
    status: 201,
    answer: ProductObject,
    present: presentProduct,
    version,
    verb: ({ caller, body }) => createProduct(deps, caller, body),
  }),
  operation({
    id: 'products.list',
    method: 'GET',
    path: '/products',
    summary: 'List products',
    description: 'Newest first, or those that are active, or are not.',
    query: PageQuery({
      active: Type.Optional(Type.Boolean({ description: 'Only those that can be bought, or cannot.' })),
    }),
    answer: PageOf(ProductObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/products', presentProduct),
    verb: ({ caller, query }) => listProducts(deps, caller, rangeOf('product', caller.mode, query), query),
  }),
  operation({
    id: 'products.get',
    method: 'GET',
    path: '/products/:product_id',
    summary: 'Get a product',
    description: 'Answers one product.',
    params: ProductPath,
    answer: ProductObject,
    refuses: ['not_found'],
    present: presentProduct,
    version,
    verb: ({ caller, params }) => getProduct(deps, caller, params.product_id),
  }),
  operation({
    id: 'products.update',
    method: 'PUT',
    path: '/products/:product_id',
    summary: 'Change a product',
    description: 'Members that are not sent stay as they are, null clears.',
    params: ProductPath,
    body: UpdateProduct,
    answer: ProductObject,
    refuses: ['not_found', 'conflict', 'version_mismatch', 'reference_not_found', 'price_inactive'],
    takesIfMatch: true,
    present: presentProduct,
    version,
    verb: ({ caller, params, body, ifMatch }) =>
      updateProduct(deps, caller, params.product_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'products.delete',
    method: 'DELETE',
    path: '/products/:product_id',
    summary: 'Delete a product',
    description: 'Only one without prices. Repeating it answers the same.',
    params: ProductPath,
    answer: DeletedProduct,
    refuses: ['not_found', 'conflict', 'version_mismatch', 'object_in_use'],
    takesIfMatch: true,
    present: presentDeletedProduct,
    verb: ({ caller, params, ifMatch }) => deleteProduct(deps, caller, params.product_id, ifMatch),
  }),
]

export const priceOperations = (deps: Deps) => [
  operation({
    id: 'prices.create',
    method: 'POST',
    path: '/prices',
    summary: 'Create a price',
    description:
      'Its money, its currency and its interval never change: another amount is another price, which may take over the `lookup_key`.',
    body: CreatePrice,
    status: 201,
    answer: PriceObject,
    refuses: ['conflict', 'reference_not_found', 'lookup_key_taken'],
    present: presentPrice,
    version,
    verb: ({ caller, body }) => createPrice(deps, caller, body),
  }),
  operation({
    id: 'prices.list',
    method: 'GET',
    path: '/prices',
    summary: 'List prices',
    description: 'Newest first, or those of one product, or the one with a lookup key.',
    query: PageQuery({
      product_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only those of this product.' })),
      lookup_key: Type.Optional(Type.String({ maxLength: 200, description: 'Only the one with this key.' })),
    }),
    answer: PageOf(PriceObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/prices', presentPrice),
    verb: ({ caller, query }) => listPrices(deps, caller, rangeOf('price', caller.mode, query), query),
  }),
  operation({
    id: 'prices.get',
    method: 'GET',
    path: '/prices/:price_id',
    summary: 'Get a price',
    description: 'Answers one price. By a lookup key, ask the list.',
    params: PricePath,
    answer: PriceObject,
    refuses: ['not_found'],
    present: presentPrice,
    version,
    verb: ({ caller, params }) => getPrice(deps, caller, params.price_id),
  }),
  operation({
    id: 'prices.update',
    method: 'PUT',
    path: '/prices/:price_id',
    summary: 'Change a price',
    description: 'Members that are not sent stay as they are, null clears. Its money cannot be changed.',
    params: PricePath,
    body: UpdatePrice,
    answer: PriceObject,
    refuses: ['not_found', 'conflict', 'version_mismatch', 'lookup_key_taken'],
    takesIfMatch: true,
    present: presentPrice,
    version,
    verb: ({ caller, params, body, ifMatch }) =>
      updatePrice(deps, caller, params.price_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'prices.delete',
    method: 'DELETE',
    path: '/prices/:price_id',
    summary: 'Delete a price',
    description:
      'Only one that nobody is or was billed by; the others can be made inactive. Repeating it answers the same.',
    params: PricePath,
    answer: DeletedPrice,
    refuses: ['not_found', 'conflict', 'version_mismatch', 'object_in_use'],
    takesIfMatch: true,
    present: presentDeletedPrice,
    verb: ({ caller, params, ifMatch }) => deletePrice(deps, caller, params.price_id, ifMatch),
  }),
]

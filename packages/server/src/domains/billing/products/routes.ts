import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
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
    description: 'A product can have any number of prices, in any currency.',
    body: CreateProduct,
    status: 201,
    response: ProductObject,
    present: presentProduct,
    version,
    handle: ({ caller, body }) => createProduct(deps, caller, body),
  }),
  operation({
    id: 'products.list',
    method: 'GET',
    path: '/products',
    summary: 'List products',
    description: 'Returns products, newest first. Can be filtered by `active`.',
    query: PageQuery({
      active: Type.Optional(
        Type.Boolean({ description: '`true`: only active products. `false`: only inactive products.' }),
      ),
    }),
    response: PageOf(ProductObject),
    errors: ['invalid_cursor'],
    present: presentPage('/products', presentProduct),
    handle: ({ caller, query }) => listProducts(deps, caller, rangeOf('product', caller.mode, query), query),
  }),
  operation({
    id: 'products.get',
    method: 'GET',
    path: '/products/:product_id',
    summary: 'Get a product',
    description: 'Returns a product.',
    params: ProductPath,
    response: ProductObject,
    errors: ['not_found'],
    present: presentProduct,
    version,
    handle: ({ caller, params }) => getProduct(deps, caller, params.product_id),
  }),
  operation({
    id: 'products.update',
    method: 'PUT',
    path: '/products/:product_id',
    summary: 'Update a product',
    description: 'Omitted fields are unchanged; `null` clears a field.',
    params: ProductPath,
    body: UpdateProduct,
    response: ProductObject,
    errors: ['not_found', 'conflict', 'version_mismatch', 'reference_not_found', 'price_inactive'],
    takesIfMatch: true,
    present: presentProduct,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updateProduct(deps, caller, params.product_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'products.delete',
    method: 'DELETE',
    path: '/products/:product_id',
    summary: 'Delete a product',
    description: 'Deletes a product that has no prices. Repeated calls return the same result.',
    params: ProductPath,
    response: DeletedProduct,
    errors: ['not_found', 'conflict', 'version_mismatch', 'object_in_use'],
    takesIfMatch: true,
    present: presentDeletedProduct,
    handle: ({ caller, params, ifMatch }) => deleteProduct(deps, caller, params.product_id, ifMatch),
  }),
]

export const priceOperations = (deps: Deps) => [
  operation({
    id: 'prices.create',
    method: 'POST',
    path: '/prices',
    summary: 'Create a price',
    description:
      'Amount, currency and interval of a price cannot be changed later. To change them, create a new price; it can take over the `lookup_key`.',
    body: CreatePrice,
    status: 201,
    response: PriceObject,
    errors: ['conflict', 'reference_not_found', 'lookup_key_taken'],
    present: presentPrice,
    version,
    handle: ({ caller, body }) => createPrice(deps, caller, body),
  }),
  operation({
    id: 'prices.list',
    method: 'GET',
    path: '/prices',
    summary: 'List prices',
    description: 'Returns prices, newest first. Can be filtered by product or lookup key.',
    query: PageQuery({
      product_id: Type.Optional(Type.String({ maxLength: 100, description: 'Only prices of this product.' })),
      lookup_key: Type.Optional(
        Type.String({ maxLength: 200, description: 'Only the price with this lookup key.' }),
      ),
    }),
    response: PageOf(PriceObject),
    errors: ['invalid_cursor'],
    present: presentPage('/prices', presentPrice),
    handle: ({ caller, query }) => listPrices(deps, caller, rangeOf('price', caller.mode, query), query),
  }),
  operation({
    id: 'prices.get',
    method: 'GET',
    path: '/prices/:price_id',
    summary: 'Get a price',
    description: 'Returns a price. To find a price by its lookup key, list prices with `lookup_key`.',
    params: PricePath,
    response: PriceObject,
    errors: ['not_found'],
    present: presentPrice,
    version,
    handle: ({ caller, params }) => getPrice(deps, caller, params.price_id),
  }),
  operation({
    id: 'prices.update',
    method: 'PUT',
    path: '/prices/:price_id',
    summary: 'Update a price',
    description:
      'Omitted fields are unchanged; `null` clears a field. Amount, currency and interval cannot be changed.',
    params: PricePath,
    body: UpdatePrice,
    response: PriceObject,
    errors: ['not_found', 'conflict', 'version_mismatch', 'lookup_key_taken'],
    takesIfMatch: true,
    present: presentPrice,
    version,
    handle: ({ caller, params, body, ifMatch }) =>
      updatePrice(deps, caller, params.price_id, { ...body, ifMatch }),
  }),
  operation({
    id: 'prices.delete',
    method: 'DELETE',
    path: '/prices/:price_id',
    summary: 'Delete a price',
    description:
      'Deletes a price that has never been used for billing. Set other prices to inactive instead. Repeated calls return the same result.',
    params: PricePath,
    response: DeletedPrice,
    errors: ['not_found', 'conflict', 'version_mismatch', 'object_in_use'],
    takesIfMatch: true,
    present: presentDeletedPrice,
    handle: ({ caller, params, ifMatch }) => deletePrice(deps, caller, params.price_id, ifMatch),
  }),
]

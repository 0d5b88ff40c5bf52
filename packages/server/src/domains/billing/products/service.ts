/** For other domains: finds the price that a request refers to, and marks prices as used. */
import { refuse } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import type { Price } from './price.ts'
import * as store from './store/prices.ts'
import { requireProduct } from './store/products.ts'

export type { Price } from './price.ts'

/** Finds the price that a request refers to by its id or as `lookup:<key>`. It must be active. */
export async function requirePrice(view: View, idOrLookup: string, pointer = '/price_id'): Promise<Price> {
  const price = await store.findPriceByIdOrLookup(view, idOrLookup)
  if (price === null) {
    const errors = [{ pointer, code: 'not_found', detail: store.missingReference } as const]
    return refuse('reference_not_found', { errors })
  }
  if (!price.active) refuse('price_inactive', { resource_id: price.id })
  return price
}

/** Used prices cannot be deleted. Only the first use of a price locks it, until that transaction ends. */
export async function markPricesUsed(
  tx: Tx,
  ids: readonly Id<'price'>[],
  pointer = '/price_id',
): Promise<void> {
  const uniqueIds = [...new Set(ids)].toSorted()
  if (uniqueIds.length === 0) return
  const used = await store.findUsedPrices(tx, uniqueIds)
  for (const id of uniqueIds) {
    if (used.has(id) || (await store.insertPriceUse(tx, id))) continue
    const errors = [{ pointer, code: 'not_found', detail: store.missingReference } as const]
    refuse('reference_not_found', { errors })
  }
}

/** The name of the product of each price. */
export function findProductNames(
  view: View,
  ids: readonly Id<'price'>[],
): Promise<ReadonlyMap<Id<'price'>, string>> {
  return store.findProductNames(view, ids)
}

/** The product of each price. */
export function findProducts(
  view: View,
  ids: readonly Id<'price'>[],
): Promise<ReadonlyMap<Id<'price'>, Id<'product'>>> {
  return store.findProducts(view, ids)
}

/** Finds the products that a request refers to. They cannot be deleted until the transaction ends. */
export async function requireProducts(
  tx: Tx,
  ids: readonly string[],
  pointer: string,
): Promise<Id<'product'>[]> {
  const products: Id<'product'>[] = []
  for (const [index, id] of ids.entries())
    products.push((await requireProduct(tx, id, `${pointer}/${index}`)).id)
  return [...new Set(products)]
}

/** What others need of prices: which one a body names, and that it is used from now on. */
import { refuse } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import type { Tx, View } from '../../platform/db/unit-of-work.ts'
import type { Price } from './price.ts'
import * as store from './store/prices.ts'

export type { Price } from './price.ts'

/** The price that a body names by its id or as `lookup:<key>`, for something new: it has to be active. */
export async function requirePrice(view: View, idOrLookup: string, pointer = '/price_id'): Promise<Price> {
  const price = await store.findPriceNamed(view, idOrLookup)
  if (price === null) {
    const errors = [{ pointer, code: 'not_found', detail: store.missing } as const]
    return refuse('reference_not_found', { errors })
  }
  if (!price.active) refuse('price_inactive', { resource_id: price.id })
  return price
}

/** From now on they cannot be deleted. Only the first use of a price locks it, and only until its unit ends. */
export async function usePrices(tx: Tx, ids: readonly Id<'price'>[], pointer = '/price_id'): Promise<void> {
  const wanted = [...new Set(ids)].toSorted()
  if (wanted.length === 0) return
  const used = await store.usedAmong(tx, wanted)
  for (const id of wanted) {
    if (used.has(id) || (await store.insertUse(tx, id))) continue
    const errors = [{ pointer, code: 'not_found', detail: store.missing } as const]
    refuse('reference_not_found', { errors })
  }
}

/** What each price is for: the name of its product. */
export function findNames(
  view: View,
  ids: readonly Id<'price'>[],
): Promise<ReadonlyMap<Id<'price'>, string>> {
  return store.findNames(view, ids)
}

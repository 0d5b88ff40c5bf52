/** What can be done with a product. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { productCreated, productDeleted, productUpdated } from '../events.ts'
import { applyToProduct, isSameProduct, newProduct, type Product } from '../product.ts'
import type { CreateProduct, UpdateProduct } from '../schema/product.ts'
import { requirePrice } from '../service.ts'
import { hasPrices, keepPrice, missing as missingPrice } from '../store/prices.ts'
import * as store from '../store/products.ts'

export function createProduct(deps: Deps, caller: Caller, input: CreateProduct): Promise<Product> {
  return transact(deps, caller, async (tx) => {
    const after = await store.insertProduct(tx, applyToProduct(newProduct, input))
    tx.emit(productCreated, { after })
    return after
  })
}

export function getProduct(deps: Deps, caller: Caller, id: string): Promise<Product> {
  return read(deps, caller, (view) => store.findProduct(view, id))
}

export function listProducts(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  { active }: { readonly active?: boolean | undefined },
) {
  return read(deps, caller, (view) => store.listProducts(view, range, active ?? null))
}

export function updateProduct(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateProduct & { readonly ifMatch: number | null },
): Promise<Product> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockProduct(tx, id)
    if (before.deletedAt !== null) return store.findProduct(tx, id)
    requireVersion(before, input.ifMatch)
    const { default_price_id: named } = input
    const defaultPriceId = named == null ? named : await requireDefault(tx, before, named)
    const details = {
      ...applyToProduct(before, input),
      ...(defaultPriceId === undefined ? {} : { defaultPriceId }),
    }
    // Nothing changed, so there is nothing to tell.
    if (isSameProduct(details, before)) return before

    const after = await store.updateProduct(tx, before, details)
    tx.emit(productUpdated, { before, after })
    return after
  })
}

async function requireDefault(tx: Tx, { id }: Product, named: string): Promise<Id<'price'>> {
  const price = await requirePrice(tx, named, '/default_price_id')
  if (price.productId !== id)
    refuseMember('/default_price_id', 'not_together', 'must be a price of this product')
  // Whoever deletes a price looks whether it is the default of its product, and holds only the price.
  if (await keepPrice(tx, price.id)) return price.id
  return refuse('reference_not_found', {
    errors: [{ pointer: '/default_price_id', code: 'not_found', detail: missingPrice }],
  })
}

/** Only one that has no prices: what it cost must be readable as long as anybody was billed by it. */
export function deleteProduct(
  deps: Deps,
  caller: Caller,
  id: string,
  ifMatch: number | null,
): Promise<Product> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockProduct(tx, id)
    if (before.deletedAt !== null) return before
    requireVersion(before, ifMatch)
    if (await hasPrices(tx, before.id))
      refuse('object_in_use', { detail: 'The product has prices. Make it inactive instead.' })
    const after = await store.updateProduct(tx, before, { deletedAt: tx.now })
    tx.emit(productDeleted, { after })
    return after
  })
}

/** For those who want to change only what they have seen. */
function requireVersion(product: Product, seen: number | null): void {
  if (seen !== null && seen !== product.version) refuse('version_mismatch')
}

/** Operations on products. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { productCreated, productDeleted, productUpdated } from '../events.ts'
import { applyToProduct, defaultProductDetails, isSameProduct, type Product } from '../product.ts'
import type { CreateProduct, UpdateProduct } from '../schema/product.ts'
import { requirePrice } from '../service.ts'
import { hasPrices, missingReference as missingPrice, preventDeletion } from '../store/prices.ts'
import * as store from '../store/products.ts'

export function createProduct(deps: Deps, caller: Caller, input: CreateProduct): Promise<Product> {
  return transact(deps, caller, async (tx) => {
    const after = await store.insertProduct(tx, applyToProduct(defaultProductDetails, input))
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
    const { default_price_id: reference } = input
    const defaultPriceId = reference == null ? reference : await requireDefault(tx, before, reference)
    const details = {
      ...applyToProduct(before, input),
      ...(defaultPriceId === undefined ? {} : { defaultPriceId }),
    }
    // Nothing changed, so there is no event.
    if (isSameProduct(details, before)) return before

    const after = await store.updateProduct(tx, before, details)
    tx.emit(productUpdated, { before, after })
    return after
  })
}

async function requireDefault(tx: Tx, { id }: Product, reference: string): Promise<Id<'price'>> {
  const price = await requirePrice(tx, reference, '/default_price_id')
  if (price.productId !== id)
    refuseMember('/default_price_id', 'not_together', 'must be a price of this product')
  // Lock the price: a concurrent request to delete it checks whether it is the default of its product, but locks
  // only the price.
  if (await preventDeletion(tx, price.id)) return price.id
  return refuse('reference_not_found', {
    errors: [{ pointer: '/default_price_id', code: 'not_found', detail: missingPrice }],
  })
}

/** Only a product without prices can be deleted: prices that were used must stay readable. */
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
      refuse('object_in_use', { detail: 'The product has prices. Deactivate it instead.' })
    const after = await store.updateProduct(tx, before, { deletedAt: tx.now })
    tx.emit(productDeleted, { after })
    return after
  })
}

/** Optimistic concurrency control with `If-Match`. */
function requireVersion(product: Product, ifMatch: number | null): void {
  if (ifMatch !== null && ifMatch !== product.version) refuse('version_mismatch')
}

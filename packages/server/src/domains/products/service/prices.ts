/** What can be done with a price. Its money is settled when it is made. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { uuidInFilter } from '../../../kernel/filters.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { priceCreated, priceDeleted, priceUpdated } from '../events.ts'
import {
  applyToPrice,
  isSamePrice,
  longest,
  newPrice,
  type Price,
  type Recurring,
  shortest,
} from '../price.ts'
import type { CreatePrice, UpdatePrice } from '../schema/price.ts'
import * as store from '../store/prices.ts'
import { findProduct, requireProduct } from '../store/products.ts'

export function createPrice(deps: Deps, caller: Caller, input: CreatePrice): Promise<Price> {
  return transact(deps, caller, async (tx) => {
    const recurring = recurringOf(input)
    const unitAmountDecimal = amountOf(input)
    const { id: productId } = await requireProduct(tx, input.product_id)
    const details = applyToPrice(newPrice, input)
    if (details.lookupKey !== null) await takeLookupKey(tx, details.lookupKey, input)
    const terms = {
      productId,
      currency: input.currency,
      scheme: 'per_unit',
      unitAmountDecimal,
      recurring,
    } as const
    const after = await store.insertPrice(tx, terms, details)
    tx.emit(priceCreated, { after })
    return after
  })
}

function amountOf({ unit_amount: whole, unit_amount_decimal: decimal }: CreatePrice): string {
  if (whole !== undefined && decimal !== undefined)
    refuseMember('/unit_amount_decimal', 'not_together', 'does not go with unit_amount')
  if (whole !== undefined) return String(whole)
  return shortest(decimal ?? refuseMember('/unit_amount', 'required', 'is required, or unit_amount_decimal'))
}

function recurringOf({ recurring }: CreatePrice): Recurring | null {
  if (recurring == null) return null
  const { interval, interval_count: intervalCount = 1 } = recurring
  if (intervalCount > longest[interval]) {
    const detail = `must be ${longest[interval]} or less: a period has at most three years`
    refuseMember('/recurring/interval_count', 'too_large', detail)
  }
  return { interval, intervalCount }
}

/** A key names one price. Whoever had it loses it, if that was asked for. */
async function takeLookupKey(
  tx: Tx,
  key: string,
  { transfer_lookup_key: transfer = false }: { readonly transfer_lookup_key?: boolean },
): Promise<void> {
  await store.lockLookupKey(tx, key)
  const found = await store.holderOf(tx, key)
  if (found === null) return
  if (!transfer) refuse('lookup_key_taken', { resource_id: found.id })
  const before = await store.lockPrice(tx, found.id)
  const after = await store.updatePrice(tx, before, { lookupKey: null })
  tx.emit(priceUpdated, { before, after })
}

export function getPrice(deps: Deps, caller: Caller, id: string): Promise<Price> {
  return read(deps, caller, (view) => store.findPrice(view, id))
}

export function listPrices(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  filter: { readonly product_id?: string | undefined; readonly lookup_key?: string | undefined },
) {
  const { product_id: product, lookup_key: lookupKey = null } = filter
  const productUuid = uuidInFilter('product', caller.mode, product)
  return read(deps, caller, (view) => store.listPrices(view, range, { productUuid, lookupKey }))
}

export function updatePrice(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdatePrice & { readonly ifMatch: number | null },
): Promise<Price> {
  return transact(deps, caller, async (tx) => {
    // The key before the row, as whoever makes a price takes them: then neither waits for the other for ever.
    if (typeof input.lookup_key === 'string') await store.lockLookupKey(tx, input.lookup_key)
    const before = await store.lockPrice(tx, id)
    if (before.deletedAt !== null) refuse('not_found', { detail: store.missing })
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const details = applyToPrice(before, input)
    // Nothing changed, so there is nothing to tell.
    if (isSamePrice(details, before)) return before

    if (details.lookupKey !== null && details.lookupKey !== before.lookupKey)
      await takeLookupKey(tx, details.lookupKey, input)
    const after = await store.updatePrice(tx, before, details)
    tx.emit(priceUpdated, { before, after })
    return after
  })
}

/** Only one that nobody was ever billed by. The others can be made inactive. */
export function deletePrice(deps: Deps, caller: Caller, id: string, ifMatch: number | null): Promise<Price> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockPrice(tx, id)
    if (before.deletedAt !== null) return before
    if (ifMatch !== null && ifMatch !== before.version) refuse('version_mismatch')
    await requireUnused(tx, before)
    const after = await store.updatePrice(tx, before, { deletedAt: tx.now })
    tx.emit(priceDeleted, { after })
    return after
  })
}

async function requireUnused(tx: Tx, { id, productId }: Price): Promise<void> {
  if ((await store.usedAmong(tx, [id])).has(id))
    refuse('object_in_use', { detail: 'Somebody is or was billed by this price. Make it inactive instead.' })
  const { defaultPriceId } = await findProduct(tx, productId)
  if (defaultPriceId === id)
    refuse('object_in_use', {
      detail: 'It is the default price of its product. Give that another one first.',
    })
}

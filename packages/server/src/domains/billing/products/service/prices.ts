/** Operations on prices. The terms of a price are fixed at creation. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember, refuseMembers } from '../../../../kernel/errors.ts'
import { uuidInFilter } from '../../../../kernel/filters.ts'
import { faultsOfPricing } from '../../../../kernel/price-schemes.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { requireMeter } from '../../meters/service/meters.ts'
import { priceCreated, priceDeleted, priceUpdated } from '../events.ts'
import {
  applyToPrice,
  defaultPriceDetails,
  isSamePrice,
  maxIntervalCounts,
  maxMeteredCounts,
  normalizeDecimal,
  type Price,
  type Recurring,
} from '../price.ts'
import type { CreatePrice, UpdatePrice } from '../schema/price.ts'
import * as store from '../store/prices.ts'
import { findProduct, requireProduct } from '../store/products.ts'

export function createPrice(deps: Deps, caller: Caller, input: CreatePrice): Promise<Price> {
  return transact(deps, caller, async (tx) => {
    const recurring = recurringOf(input)
    const meterId = await meterOf(tx, input, recurring)
    const terms = termsOf(input)
    const { id: productId } = await requireProduct(tx, input.product_id)
    const details = applyToPrice(defaultPriceDetails, input)
    if (details.lookupKey !== null) await claimLookupKey(tx, details.lookupKey, input)
    const taxBehavior = input.tax_behavior ?? 'exclusive'
    const after = await store.insertPrice(
      tx,
      { ...terms, productId, currency: input.currency, taxBehavior, recurring, meterId },
      details,
    )
    tx.emit(priceCreated, { after })
    return after
  })
}

function termsOf(input: CreatePrice): Pick<Price, 'unitAmountDecimal' | 'pricing'> {
  const { scheme = 'per_unit', minimum_amount: minimum = null, maximum_amount: maximum = null } = input
  const tiers = input.tiers?.map(({ up_to, unit_amount_decimal: unit = '0', flat_amount = 0 }) => ({
    up_to,
    unit_amount_decimal: normalizeDecimal(unit),
    flat_amount,
  }))
  const pricing = {
    scheme,
    tiers: tiers ?? null,
    package: input.package == null ? null : { round: 'up' as const, ...input.package },
    minimum_amount: minimum,
    maximum_amount: maximum,
  }
  const hasUnitAmount = input.unit_amount !== undefined || input.unit_amount_decimal !== undefined
  const faults = faultsOfPricing({ ...pricing, hasUnitAmount })
  if (faults.length > 0) refuseMembers(faults)
  return { unitAmountDecimal: tiers === undefined ? unitAmountOf(input) : null, pricing }
}

function unitAmountOf({ unit_amount: whole, unit_amount_decimal: decimal }: CreatePrice): string {
  if (whole !== undefined && decimal !== undefined)
    refuseMember('/unit_amount_decimal', 'not_together', 'cannot be combined with unit_amount')
  if (whole !== undefined) return String(whole)
  return normalizeDecimal(
    decimal ?? refuseMember('/unit_amount', 'required', 'is required unless unit_amount_decimal is sent'),
  )
}

function recurringOf({ recurring }: CreatePrice): Recurring | null {
  if (recurring == null) return null
  const { interval, interval_count: intervalCount = 1 } = recurring
  if (intervalCount > maxIntervalCounts[interval]) {
    const detail = `must be ${maxIntervalCounts[interval]} or less: a period is at most three years`
    refuseMember('/recurring/interval_count', 'too_large', detail)
  }
  return { interval, intervalCount }
}

async function meterOf(
  tx: Tx,
  { meter_id: text }: CreatePrice,
  recurring: Recurring | null,
): Promise<Price['meterId']> {
  if (text == null) return null
  if (recurring === null) return refuseMember('/recurring', 'required', 'is required with meter_id')
  if (recurring.intervalCount > maxMeteredCounts[recurring.interval])
    refuseMember('/recurring', 'too_large', 'must be a month or less with meter_id')
  return (await requireMeter(tx, text, '/meter_id')).id
}

/** A lookup key identifies one price. It is taken from another price only with `transfer_lookup_key`. */
async function claimLookupKey(
  tx: Tx,
  key: string,
  { transfer_lookup_key: transfer = false }: { readonly transfer_lookup_key?: boolean },
): Promise<void> {
  await store.lockLookupKey(tx, key)
  const holder = await store.findPriceByLookupKey(tx, key)
  if (holder === null) return
  if (!transfer) refuse('lookup_key_taken', { resource_id: holder.id })
  const before = await store.lockPrice(tx, holder.id)
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
    // The key is locked before the row, in the same order as when a price is created, to prevent deadlocks.
    if (typeof input.lookup_key === 'string') await store.lockLookupKey(tx, input.lookup_key)
    const before = await store.lockPrice(tx, id)
    if (before.deletedAt !== null) refuse('not_found', { detail: store.missing })
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const details = applyToPrice(before, input)
    // Nothing changed, so there is no event.
    if (isSamePrice(details, before)) return before

    if (details.lookupKey !== null && details.lookupKey !== before.lookupKey)
      await claimLookupKey(tx, details.lookupKey, input)
    const after = await store.updatePrice(tx, before, details)
    tx.emit(priceUpdated, { before, after })
    return after
  })
}

/** Only a price that was never used can be deleted. Others can be deactivated. */
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
  if ((await store.findUsedPrices(tx, [id])).has(id))
    refuse('object_in_use', { detail: 'The price is or was used by a subscription. Deactivate it instead.' })
  const { defaultPriceId } = await findProduct(tx, productId)
  if (defaultPriceId === id)
    refuse('object_in_use', {
      detail: 'The price is the default price of its product. Set another default price first.',
    })
}

/**
 * The commands for promotion codes, and their redemption by other domains. Functions that take `deps` open a
 * transaction; functions that take `tx` or `view` join the transaction of the caller.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { uuidInFilter } from '../../../kernel/filters.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import { parseFutureTime } from '../../../kernel/time-input.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { requireCustomer } from '../../payments/customers/service.ts'
import {
  countRedemption,
  countReservationEnd,
  endReservations,
  type NewRedemption,
  type ReservationEnd,
  type Reserver,
  redeemCoupon,
  requireCoupon,
} from '../coupons/service.ts'
import { promotionCodeCreated, promotionCodeUpdated } from './events.ts'
import {
  applyToPromotionCode,
  codeLimitReached,
  isSamePromotionCode,
  type PromotionCode,
  type PromotionCodeTerms,
} from './promotion-code.ts'
import type { CreatePromotionCode, UpdatePromotionCode } from './schema.ts'
import * as store from './store.ts'

export { type PromotionCode, reasonNotApplicable } from './promotion-code.ts'

export function createPromotionCode(
  deps: Deps,
  caller: Caller,
  input: CreatePromotionCode,
): Promise<PromotionCode> {
  return transact(deps, caller, async (tx) => {
    const terms = await termsOf(tx, input)
    await claimCode(tx, terms.code)
    const details = { active: true, metadata: mergeMetadata({}, input.metadata ?? {}) }
    const after = await store.insertPromotionCode(tx, terms, details)
    tx.emit(promotionCodeCreated, { after })
    return after
  })
}

async function termsOf(tx: Tx, input: CreatePromotionCode): Promise<PromotionCodeTerms> {
  const { minimum_amount: minimum, currency, customer_id: customer, expires_at: expiresAt } = input
  if ((minimum == null) !== (currency == null))
    refuseMember('/currency', 'required', 'is required with minimum_amount, and must be omitted without it')
  const coupon = await requireCoupon(tx, input.coupon_id, '/coupon_id')
  return {
    couponId: coupon.id,
    code: input.code.toUpperCase(),
    firstPurchase: input.first_purchase ?? false,
    minimum: minimum == null || currency == null ? null : { amount: BigInt(minimum), currency },
    customerId: customer == null ? null : (await requireCustomer(tx, customer)).id,
    maxRedemptions: input.max_redemptions ?? null,
    expiresAt: expiresAt == null ? null : parseFutureTime(expiresAt, '/expires_at', tx.now),
  }
}

/** A code is unique among active codes. The lock prevents two requests from claiming it concurrently. */
async function claimCode(tx: Tx, code: string): Promise<void> {
  await store.lockCode(tx, code)
  const holder = await store.findActiveCode(tx, code)
  if (holder !== null) refuse('promotion_code_taken', { resource_id: holder.id })
}

export function getPromotionCode(deps: Deps, caller: Caller, id: string): Promise<PromotionCode> {
  return read(deps, caller, (view) => store.findPromotionCode(view, id))
}

export function listPromotionCodes(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  filter: { readonly coupon_id?: string | undefined; readonly code?: string | undefined },
) {
  const couponUuid = uuidInFilter('coupon', caller.mode, filter.coupon_id)
  const code = filter.code?.toUpperCase() ?? null
  return read(deps, caller, (view) => store.listPromotionCodes(view, range, { couponUuid, code }))
}

export function updatePromotionCode(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdatePromotionCode & { readonly ifMatch: number | null },
): Promise<PromotionCode> {
  return transact(deps, caller, async (tx) => {
    // The code is locked before the row, in the same order as when a code is created, to prevent deadlocks.
    if (input.active === true) await store.lockCode(tx, (await store.findPromotionCode(tx, id)).code)
    const before = await store.lockPromotionCode(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const details = applyToPromotionCode(before, input)
    if (isSamePromotionCode(details, before)) return before
    if (details.active && !before.active) await claimCode(tx, before.code)
    const after = await store.updatePromotionCode(tx, before, details)
    tx.emit(promotionCodeUpdated, { before, after })
    return after
  })
}

/** Finds the active code, ignoring case; null if there is none. */
export function findCode(view: View, text: string): Promise<PromotionCode | null> {
  return store.findActiveCode(view, text.toUpperCase())
}

/** Finds the active code that a request refers to, ignoring case. */
export async function requireCode(view: View, text: string, pointer: string): Promise<PromotionCode> {
  const found = await findCode(view, text)
  if (found !== null) return found
  const errors = [{ pointer, code: 'not_found', detail: 'is not an active promotion code' } as const]
  return refuse('reference_not_found', { errors })
}

/** Redeems a coupon, with or without a code: counts both on their locked rows, and records who redeemed them. */
export async function redeem(tx: Tx, redemption: NewRedemption): Promise<void> {
  const { promotionCodeId, status } = redemption
  if (promotionCodeId !== null && !(await countRedemption(tx, promotionCodeId, status)))
    refuse('discount_not_applicable', { detail: codeLimitReached, resource_id: promotionCodeId })
  await redeemCoupon(tx, redemption)
}

/**
 * Ends the redemptions that a checkout session or a draft has reserved: they are used if it was paid or finalized, and
 * otherwise released.
 */
export async function settleReservations(tx: Tx, reserver: Reserver, result: ReservationEnd): Promise<void> {
  const { status } = result
  for (const reservation of await endReservations(tx, reserver, result)) {
    const { couponId, promotionCodeId } = reservation
    // Lock the code before the coupon, as for a redemption, to prevent deadlocks.
    if (promotionCodeId !== null) await countReservationEnd(tx, promotionCodeId, status)
    await countReservationEnd(tx, couponId, status)
  }
}

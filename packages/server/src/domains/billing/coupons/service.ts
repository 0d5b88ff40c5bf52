/**
 * The commands for coupons, and their redemption by other domains. Functions that take `deps` open a transaction;
 * functions that take `tx` or `view` join the transaction of the caller.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import { parseFutureTime } from '../../../kernel/time-input.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { requireProducts } from '../products/service.ts'
import { applyToCoupon, type Coupon, type CouponTerms, isSameCoupon, limitReached } from './coupon.ts'
import { couponCreated, couponUpdated } from './events.ts'
import type { CreateCoupon, UpdateCoupon } from './schema.ts'
import * as store from './store.ts'

export { type Coupon, reasonNotRedeemable } from './coupon.ts'
export {
  countRedemption,
  countReservationEnd,
  endReservations,
  type NewRedemption,
  type ReservationEnd,
  type Reserver,
} from './store.ts'

export function createCoupon(deps: Deps, caller: Caller, input: CreateCoupon): Promise<Coupon> {
  return transact(deps, caller, async (tx) => {
    const terms = await termsOf(tx, input)
    const details = { name: input.name, active: true, metadata: mergeMetadata({}, input.metadata ?? {}) }
    const after = await store.insertCoupon(tx, terms, details)
    tx.emit(couponCreated, { after })
    return after
  })
}

async function termsOf(tx: Tx, input: CreateCoupon): Promise<CouponTerms> {
  const {
    duration,
    duration_periods: periods = null,
    redeem_by: redeemBy = null,
    product_ids: products,
  } = input
  if ((duration === 'periods') !== (periods !== null))
    refuseMember(
      '/duration_periods',
      'required',
      'is required with the duration periods, and must be omitted otherwise',
    )
  return {
    ...offOf(input),
    duration,
    durationPeriods: periods,
    productIds: products == null ? null : await requireProducts(tx, products, '/product_ids'),
    maxRedemptions: input.max_redemptions ?? null,
    redeemBy: redeemBy === null ? null : parseFutureTime(redeemBy, '/redeem_by', tx.now),
  }
}

function offOf(input: CreateCoupon): Pick<CouponTerms, 'off' | 'currency'> {
  const { percent_off: percentage, amount_off: amount, currency } = input
  if ((percentage === undefined) === (amount === undefined))
    refuseMember('/percent_off', 'required', 'is required without amount_off, and must be omitted with it')
  if (amount !== undefined) {
    if (currency === undefined) return refuseMember('/currency', 'required', 'is required with amount_off')
    return { off: { amount: BigInt(amount) }, currency }
  }
  if (currency !== undefined) refuseMember('/currency', 'not_together', 'must be omitted with percent_off')
  if (Number(percentage) === 0) refuseMember('/percent_off', 'too_small', 'must be above 0')
  return { off: { percentage: percentage as string }, currency: null }
}

export function getCoupon(deps: Deps, caller: Caller, id: string): Promise<Coupon> {
  return read(deps, caller, (view) => store.findCoupon(view, id))
}

export function listCoupons(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  { active }: { readonly active?: boolean | undefined },
) {
  return read(deps, caller, (view) => store.listCoupons(view, range, active ?? null))
}

/** Existing discounts keep their copy of the terms and continue, even if the coupon is archived. */
export function updateCoupon(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateCoupon & { readonly ifMatch: number | null },
): Promise<Coupon> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockCoupon(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const details = applyToCoupon(before, input)
    if (isSameCoupon(details, before)) return before
    const after = await store.updateCoupon(tx, before, details)
    tx.emit(couponUpdated, { before, after })
    return after
  })
}

/** Finds the coupon that a request refers to. */
export function requireCoupon(view: View, id: string, pointer: string): Promise<Coupon> {
  return store.requireCoupon(view, id, pointer)
}

/** Redeems a coupon: counts it on the locked row of the coupon, and records who redeemed it. */
export async function redeemCoupon(tx: Tx, redemption: store.NewRedemption): Promise<void> {
  const { couponId, status } = redemption
  if (!(await store.countRedemption(tx, couponId, status)))
    refuse('discount_not_applicable', { detail: limitReached, resource_id: couponId })
  await store.insertRedemption(tx, redemption)
}

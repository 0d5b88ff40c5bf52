/**
 * A coupon: a percentage or an amount off, for some or all products, for one, several or all periods. Its terms never
 * change, so discounts keep a copy of them and past invoices can be recomputed.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { CouponDuration, Off } from '../../../kernel/discounts.ts'
import type { Id } from '../../../kernel/id.ts'
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'

/** The immutable part of a coupon. */
export type CouponTerms = {
  readonly off: Off
  /** The currency of an amount; null for a percentage. */
  readonly currency: Currency | null
  readonly duration: CouponDuration
  /** Only with the duration `periods`. */
  readonly durationPeriods: number | null
  /** Null: all products. */
  readonly productIds: readonly Id<'product'>[] | null
  /** Null: no limit. */
  readonly maxRedemptions: number | null
  readonly redeemBy: Date | null
}

/** The members that a caller can change. */
export type CouponDetails = {
  readonly name: string
  readonly active: boolean
  readonly metadata: { readonly [key: string]: string }
}

export type Coupon = CouponTerms &
  CouponDetails & {
    readonly id: Id<'coupon'>
    /** Redemptions, including those reserved by open checkouts. */
    readonly timesRedeemed: number
    readonly createdAt: Date
    readonly updatedAt: Date
    readonly version: number
    readonly sequence: number
  }

type CouponInput = {
  readonly name?: string
  readonly active?: boolean
  readonly metadata?: { readonly [key: string]: string | null }
}

/** Members in the request replace the old values, and metadata is merged by key. */
export function applyToCoupon(before: CouponDetails, input: CouponInput): CouponDetails {
  return {
    name: input.name ?? before.name,
    active: input.active ?? before.active,
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isSameCoupon(a: CouponDetails, b: CouponDetails): boolean {
  return a.name === b.name && a.active === b.active && canonical(a.metadata) === canonical(b.metadata)
}

/** Why the coupon cannot be redeemed at this time; null if it can be. */
export function reasonNotRedeemable(coupon: Coupon, now: Date): string | null {
  const { active, redeemBy, maxRedemptions, timesRedeemed } = coupon
  if (!active) return 'The coupon is archived.'
  if (redeemBy !== null && redeemBy <= now) return 'The coupon has expired.'
  if (maxRedemptions !== null && timesRedeemed >= maxRedemptions) return limitReached
  return null
}

export const limitReached = 'The coupon has reached its maximum number of redemptions.'

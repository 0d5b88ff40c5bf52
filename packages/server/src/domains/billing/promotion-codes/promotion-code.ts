/**
 * A promotion code: the text that customers enter to redeem a coupon, and who can redeem it. Only `active` and
 * `metadata` can change.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import { canonical } from '../../../kernel/json.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'

/** The immutable part of a promotion code. */
export type PromotionCodeTerms = {
  readonly couponId: Id<'coupon'>
  /** Stored in upper case. The code that a customer types is compared ignoring case. */
  readonly code: string
  /** Whether only customers who have not paid anything yet can redeem it. */
  readonly firstPurchase: boolean
  readonly minimum: { readonly amount: bigint; readonly currency: Currency } | null
  readonly customerId: Id<'customer'> | null
  readonly maxRedemptions: number | null
  readonly expiresAt: Date | null
}

export type PromotionCodeDetails = {
  readonly active: boolean
  readonly metadata: { readonly [key: string]: string }
}

export type PromotionCode = PromotionCodeTerms &
  PromotionCodeDetails & {
    readonly id: Id<'promotion_code'>
    /** Redemptions, including those reserved by open checkouts. */
    readonly timesRedeemed: number
    readonly createdAt: Date
    readonly updatedAt: Date
    readonly version: number
    readonly sequence: number
  }

type PromotionCodeInput = {
  readonly active?: boolean
  readonly metadata?: { readonly [key: string]: string | null }
}

export function applyToPromotionCode(
  before: PromotionCodeDetails,
  input: PromotionCodeInput,
): PromotionCodeDetails {
  return {
    active: input.active ?? before.active,
    metadata: mergeMetadata(before.metadata, input.metadata ?? {}),
  }
}

export function isSamePromotionCode(a: PromotionCodeDetails, b: PromotionCodeDetails): boolean {
  return a.active === b.active && canonical(a.metadata) === canonical(b.metadata)
}

/** The purchase for which a code is redeemed. */
export type Purchase = {
  readonly customerId: Id<'customer'> | null
  /** Null if the code is redeemed for all later invoices of the customer instead of for one purchase. */
  readonly currency: Currency | null
  /** The amount of the first period, before discounts. */
  readonly amount: bigint
  readonly isFirst: boolean
}

/** Why the code cannot be redeemed for the purchase; null if it can be. */
export function reasonNotApplicable(code: PromotionCode, purchase: Purchase, now: Date): string | null {
  const { active, expiresAt, maxRedemptions, timesRedeemed, customerId, firstPurchase, minimum } = code
  if (!active) return 'The promotion code is not active.'
  if (expiresAt !== null && expiresAt <= now) return 'The promotion code has expired.'
  if (maxRedemptions !== null && timesRedeemed >= maxRedemptions) return codeLimitReached
  if (customerId !== null && customerId !== purchase.customerId)
    return 'The promotion code is for another customer.'
  if (firstPurchase && !purchase.isFirst) return 'The promotion code is only for a first purchase.'
  return minimum === null ? null : reasonOfMinimum(minimum, purchase)
}

function reasonOfMinimum(
  minimum: NonNullable<PromotionCode['minimum']>,
  { currency, amount }: Purchase,
): string | null {
  if (currency === null)
    return 'The promotion code has a minimum amount, so it cannot be redeemed for a customer, only for a purchase.'
  if (minimum.currency !== currency) return `The promotion code is only for purchases in ${minimum.currency}.`
  return amount < minimum.amount ? 'The amount is below the minimum amount of the promotion code.' : null
}

export const codeLimitReached = 'The promotion code has reached its maximum number of redemptions.'

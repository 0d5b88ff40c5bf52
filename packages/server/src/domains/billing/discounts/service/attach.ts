/**
 * Finds the coupons and promotion codes in a request, and redeems them when the request is executed. For all objects that
 * have discounts: customers, subscriptions and their items, invoices, and checkout sessions.
 */
import type { Currency } from '../../../../kernel/currency.ts'
import { type AttachedDiscount, inApplicationOrder } from '../../../../kernel/discounts.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { amountFor, type PriceFactors } from '../../../../kernel/price-schemes.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { findCustomersByEmail } from '../../../payments/customers/service.ts'
import { type Coupon, reasonNotRedeemable, requireCoupon } from '../../coupons/service.ts'
import {
  findCode,
  type PromotionCode,
  reasonNotApplicable,
  redeem,
  requireCode,
  settleReservations,
} from '../../promotion-codes/service.ts'
import { hasPurchased } from '../store.ts'

export type DiscountInput = {
  readonly coupon_id?: string | undefined
  readonly promotion_code?: string | undefined
}

/** The customer and the purchase that the discounts are redeemed for. */
type Buyer = {
  /** Null: a new customer. */
  readonly customerId: Id<'customer'> | null
  /** The address that a payer without a customer entered. */
  readonly email?: string | null
  /** Null: for all purchases of the customer. */
  readonly currency: Currency | null
  readonly items: readonly (PriceFactors & { readonly quantity: number; readonly meterId?: Id<'meter'> })[]
}

/** The complete list of the discounts of an object, or of one of its items. */
export type DiscountList = {
  readonly inputs: readonly DiscountInput[]
  /** Where the list is in the request. Default: `/discounts`. */
  readonly pointer?: string
  /** Omitted: the discounts of the object. */
  readonly itemId?: Id<'subscription_item'>
}

/** The discounts after a request with these lists. Discounts of items without a list, and of the customer, are unchanged. */
export async function discountsAfter(
  tx: Tx,
  buyer: Buyer,
  before: readonly AttachedDiscount[],
  lists: readonly DiscountList[],
): Promise<AttachedDiscount[]> {
  const isOf = (discount: AttachedDiscount, { itemId }: DiscountList) =>
    !discount.isOfCustomer && discount.itemId === itemId
  const after = before.filter((discount) => !lists.some((list) => isOf(discount, list)))
  for (const list of lists) {
    const listed = await afterList(
      tx,
      buyer,
      before.filter((discount) => isOf(discount, list)),
      list,
    )
    after.push(...listed)
  }
  return inApplicationOrder(after)
}

/**
 * A coupon that the object already has is kept, and is not redeemed again. A discount that is no longer listed still
 * applies to the current period.
 */
async function afterList(
  tx: Tx,
  buyer: Buyer,
  before: readonly AttachedDiscount[],
  { inputs, itemId, pointer = '/discounts' }: DiscountList,
): Promise<AttachedDiscount[]> {
  const listed: AttachedDiscount[] = []
  for (const [index, input] of inputs.entries()) {
    const { coupon, code } = await findTerms(tx, input, `${pointer}/${index}`)
    if (listed.some(({ couponId }) => couponId === coupon.id))
      refuseMember(`${pointer}/${index}`, 'not_together', 'is a coupon that is listed twice')
    const existing = before.find(({ couponId }) => couponId === coupon.id)
    if (existing !== undefined) listed.push({ ...existing, isRemoved: false })
    else {
      const discount = await newDiscount(tx, buyer, coupon, code)
      listed.push(itemId === undefined ? discount : { ...discount, itemId })
    }
  }
  const removed = before.filter(
    ({ id, isInPeriod }) => isInPeriod && !listed.some((discount) => discount.id === id),
  )
  return [...removed.map((discount) => ({ ...discount, isRemoved: true })), ...listed]
}

async function findTerms(
  tx: Tx,
  { coupon_id: couponId, promotion_code: text }: DiscountInput,
  pointer: string,
): Promise<{ readonly coupon: Coupon; readonly code: PromotionCode | null }> {
  if ((couponId === undefined) === (text === undefined))
    refuseMember(pointer, 'required', 'must have either coupon_id or promotion_code')
  const code = text === undefined ? null : await requireCode(tx, text, `${pointer}/promotion_code`)
  const coupon = await requireCoupon(tx, code?.couponId ?? String(couponId), `${pointer}/coupon_id`)
  return { coupon, code }
}

async function newDiscount(
  tx: Tx,
  buyer: Buyer,
  coupon: Coupon,
  code: PromotionCode | null,
): Promise<AttachedDiscount> {
  const reason = await findReason(tx, buyer, coupon, code)
  return reason === null ? toAttached(tx, coupon, code) : refuse('discount_not_applicable', reason)
}

type NotApplicable = {
  readonly detail: string
  /** Returned if there is no active code with this text. */
  readonly isUnknown?: true
}

/** The discount of a code that a payer entered, or why it does not apply. */
export async function findDiscountOfCode(
  tx: Tx,
  buyer: Buyer,
  text: string,
): Promise<{ readonly discount: AttachedDiscount } | NotApplicable> {
  const code = await findCode(tx, text)
  if (code === null) return { detail: 'There is no such promotion code.', isUnknown: true }
  const coupon = await requireCoupon(tx, code.couponId, '/promotion_code')
  return (await findReason(tx, buyer, coupon, code)) ?? { discount: toAttached(tx, coupon, code) }
}

/** Why the buyer cannot redeem the coupon, with or without a code; null if they can. */
async function findReason(
  tx: Tx,
  buyer: Buyer,
  coupon: Coupon,
  code: PromotionCode | null,
): Promise<{ readonly detail: string; readonly resource_id: string } | null> {
  const { customerId, currency, items } = buyer
  const reason = reasonNotRedeemable(coupon, tx.now) ?? reasonOfCurrency(coupon, currency)
  if (reason !== null) return { detail: reason, resource_id: coupon.id }
  if (code === null) return null
  const amount = items.reduce(
    (sum, item) => (item.meterId === undefined ? sum + amountFor(item, item.quantity) : sum),
    0n,
  )
  const isFirst = !code.firstPurchase || (await isFirstPurchase(tx, buyer))
  const detail = reasonNotApplicable(code, { customerId, currency, amount, isFirst }, tx.now)
  return detail === null ? null : { detail, resource_id: code.id }
}

const reasonOfCurrency = (coupon: Coupon, currency: Currency | null) =>
  currency === null || coupon.currency === null || coupon.currency === currency
    ? null
    : `The coupon is only for purchases in ${coupon.currency}.`

/** Payers without a customer are identified by their e-mail address. Payments without a customer are not found. */
async function isFirstPurchase(tx: Tx, { customerId, email = null }: Buyer): Promise<boolean> {
  if (customerId !== null) return !(await hasPurchased(tx, customerId))
  if (email === null) return true
  for (const { id } of await findCustomersByEmail(tx, email)) if (await hasPurchased(tx, id)) return false
  return true
}

function toAttached(tx: Tx, coupon: Coupon, code: PromotionCode | null): AttachedDiscount {
  const { off } = coupon
  return {
    id: tx.newId('discount'),
    couponId: coupon.id,
    promotionCodeId: code?.id ?? null,
    name: coupon.name,
    percentOff: 'percentage' in off ? off.percentage : null,
    amountOff: 'amount' in off ? String(off.amount) : null,
    productIds: coupon.productIds,
    duration: coupon.duration,
    periods: coupon.duration === 'once' ? 1 : coupon.durationPeriods,
    usedPeriods: 0,
    isInPeriod: false,
    isRemoved: false,
  }
}

type Redeemer = {
  readonly customerId: Id<'customer'>
  /** Null for the discounts of a customer. */
  readonly subscriptionId: Id<'subscription'> | null
  readonly discounts: readonly AttachedDiscount[]
}

/** Redeems the discounts that a subscription or a customer did not have before. */
export async function redeemNew(
  tx: Tx,
  before: readonly AttachedDiscount[],
  { customerId, subscriptionId, discounts }: Redeemer,
): Promise<void> {
  for (const { couponId, promotionCodeId } of inLockOrder(addedTo(before, discounts)))
    await redeem(tx, {
      couponId,
      promotionCodeId,
      status: 'used',
      customerId,
      subscriptionId,
      checkoutSessionId: null,
      invoiceId: null,
    })
}

function addedTo(before: readonly AttachedDiscount[], after: readonly AttachedDiscount[]) {
  return after.filter(({ id, isOfCustomer }) => !isOfCustomer && !before.some((other) => other.id === id))
}

/** Reserves a redemption of each discount of a checkout session. The reservations end with the session. */
export async function reserveDiscounts(
  tx: Tx,
  {
    id: checkoutSessionId,
    customerId,
    discounts,
  }: {
    readonly id: Id<'checkout_session'>
    readonly customerId: Id<'customer'> | null
    readonly discounts: readonly AttachedDiscount[]
  },
): Promise<void> {
  for (const { couponId, promotionCodeId } of inLockOrder(discounts))
    await redeem(tx, {
      couponId,
      promotionCodeId,
      status: 'reserved',
      customerId,
      subscriptionId: null,
      checkoutSessionId,
      invoiceId: null,
    })
}

/**
 * Reserves a redemption of each discount that a draft of an invoice did not have before, and releases the
 * reservations of discounts that it no longer has. The other reservations end with the draft.
 */
export async function reserveForInvoice(
  tx: Tx,
  before: readonly AttachedDiscount[],
  {
    id: invoiceId,
    customerId,
    discounts,
  }: {
    readonly id: Id<'invoice'>
    readonly customerId: Id<'customer'>
    readonly discounts: readonly AttachedDiscount[]
  },
): Promise<void> {
  const removed = addedTo(discounts, before).map(({ couponId }) => couponId)
  if (removed.length > 0)
    await settleReservations(
      tx,
      { invoiceId, couponIds: removed },
      { status: 'released', subscriptionId: null },
    )
  for (const { couponId, promotionCodeId } of inLockOrder(addedTo(before, discounts)))
    await redeem(tx, {
      couponId,
      promotionCodeId,
      status: 'reserved',
      customerId,
      subscriptionId: null,
      checkoutSessionId: null,
      invoiceId,
    })
}

/** Ends the reservations of a draft: they are used when it is finalized, and released when it is discarded. */
export async function endReservations(
  tx: Tx,
  {
    id: invoiceId,
    discounts,
  }: { readonly id: Id<'invoice'>; readonly discounts: readonly AttachedDiscount[] },
  status: 'used' | 'released',
): Promise<void> {
  if (discounts.some(({ isOfCustomer }) => !isOfCustomer))
    await settleReservations(tx, { invoiceId }, { status, subscriptionId: null })
}

/** Sorted, because two requests that lock two coupons in different orders would deadlock. */
function inLockOrder(discounts: readonly AttachedDiscount[]): AttachedDiscount[] {
  return discounts.toSorted((a, b) => (a.couponId < b.couponId ? -1 : 1))
}

/**
 * The discounts of customers. They apply to all subscriptions of the customer, which share the number of periods of a
 * discount. A constraint prevents concurrent renewals from using more periods than it has.
 */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import type { Currency } from '../../../kernel/currency.ts'
import {
  type AttachedDiscount,
  periodsUsedOfCustomer,
  withDiscountsOfCustomer,
} from '../../../kernel/discounts.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import { read, type Tx, transact, type View } from '../../../platform/db/unit-of-work.ts'
import { customerClockId, getCustomer, lockCustomer } from '../../payments/customers/service.ts'
import { withTestClock } from '../test-clocks/service.ts'
import { type DiscountsOfCustomer, isInCurrency, toAttachedDiscount } from './discount.ts'
import { discountCreated, discountRemoved } from './events.ts'
import type { UpdateCustomerDiscounts } from './schema.ts'
import { discountsAfter, redeemNew } from './service/attach.ts'
import * as store from './store.ts'

export async function getCustomerDiscounts(
  deps: Deps,
  caller: Caller,
  id: string,
): Promise<DiscountsOfCustomer> {
  const { id: customerId } = await getCustomer(deps, caller, id)
  return read(deps, caller, (view) => store.findDiscountsOfCustomer(view, customerId))
}

/** Replaces the list. A discount that stays keeps the periods that it has used. */
export async function updateCustomerDiscounts(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdateCustomerDiscounts & { readonly ifMatch: number | null },
): Promise<DiscountsOfCustomer> {
  const clockId =
    caller.mode === 'live' ? null : await read(deps, caller, (view) => customerClockId(view, id))
  return transact(await withTestClock(deps, caller, clockId), caller, async (tx) => {
    const { customerId, discounts: before, version } = await lockDiscounts(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== version) refuse('version_mismatch')
    const attached = before.map(toAttachedDiscount)
    const buyer = { customerId, currency: null, items: [] }
    const after = await discountsAfter(tx, buyer, attached, [{ inputs: input.discounts }])
    await redeemNew(tx, attached, { customerId, subscriptionId: null, discounts: after })
    for (const discount of before.filter((one) => !after.some(({ id: kept }) => kept === one.id)))
      tx.emit(discountRemoved, { before: discount, after: await store.removeDiscount(tx, discount) })
    for (const [position, discount] of after.entries()) {
      if (before.some((existing) => existing.id === discount.id))
        await store.moveDiscount(tx, discount.id, position)
      else tx.emit(discountCreated, { after: await store.insertDiscount(tx, customerId, discount, position) })
    }
    return store.findDiscountsOfCustomer(tx, customerId)
  })
}

/** Locks the customer, so that concurrent updates of the list run one after another. */
async function lockDiscounts(tx: Tx, id: string): Promise<DiscountsOfCustomer> {
  const { id: customerId, deletedAt } = await lockCustomer(tx, id)
  if (deletedAt !== null) refuse('not_found', { detail: 'There is no such customer.' })
  return store.findDiscountsOfCustomer(tx, customerId)
}

type Discounted = {
  readonly customerId: Id<'customer'>
  readonly currency: Currency
  readonly discounts: readonly AttachedDiscount[]
}

/**
 * The subscriptions with the discounts of their customers. Runs one statement for any number of
 * subscriptions.
 */
export async function loadCustomerDiscounts<Subscription extends Discounted>(
  view: View,
  subscriptions: readonly Subscription[],
): Promise<Subscription[]> {
  const found = await store.listDiscounts(view, [...new Set(subscriptions.map((one) => one.customerId))])
  return subscriptions.map((subscription) => {
    const { customerId, currency, discounts } = subscription
    const ofCustomer = found
      .filter((discount) => discount.customerId === customerId && isInCurrency(discount, currency))
      .map((discount): AttachedDiscount => ({ ...toAttachedDiscount(discount), isOfCustomer: true }))
    const after = withDiscountsOfCustomer(discounts, ofCustomer)
    return after === discounts ? subscription : { ...subscription, discounts: after }
  })
}

/**
 * Counts the periods that subscriptions used. A history contains the discounts of each state that one
 * subscription passed through.
 */
export async function countCustomerPeriods(
  tx: Tx,
  histories: readonly (readonly (readonly AttachedDiscount[])[])[],
): Promise<void> {
  const used = new Map<Id<'discount'>, number>()
  for (const [id, periods] of histories.flatMap((states) => [...periodsUsedOfCustomer(states)]))
    used.set(id, (used.get(id) ?? 0) + periods)
  // In the order of ids, so that concurrent transactions do not deadlock.
  for (const id of [...used.keys()].toSorted()) await store.countPeriods(tx, id, used.get(id) ?? 0)
}

/** The discounts of the customer that reduce a one-off invoice: those without a limit, because it has no period. */
export async function lastingDiscountsOf(
  view: View,
  customerId: Id<'customer'>,
  currency: Currency,
): Promise<AttachedDiscount[]> {
  const found = await store.listDiscounts(view, [customerId])
  return found
    .filter((discount) => discount.periods === null && isInCurrency(discount, currency))
    .map((discount) => ({ ...toAttachedDiscount(discount), isOfCustomer: true }))
}

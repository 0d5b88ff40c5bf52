/**
 * Reads subscriptions together with their unpaid invoices, from which collection status and access are
 * derived.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { uuidInFilter } from '../../../../kernel/filters.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { read, type View } from '../../../../platform/db/unit-of-work.ts'
import { getCustomer } from '../../../payments/customers/service.ts'
import { creditOf } from '../../invoices/service.ts'
import { type SubscriptionWithAccess, withAccess } from '../collection.ts'
import type { CustomerState } from '../schema/preview.ts'
import { listOwedInvoices } from '../store/invoice-facts.ts'
import * as store from '../store/subscriptions.ts'
import type { Subscription } from '../subscription.ts'

export function getSubscription(deps: Deps, caller: Caller, id: string): Promise<SubscriptionWithAccess> {
  return read(deps, caller, async (view) => {
    const [subscription] = await addAccess(view, [await store.findSubscription(view, id)])
    return subscription as SubscriptionWithAccess
  })
}

/** The subscription that a request body refers to. It must belong to the customer, and not be cancelled. */
export async function requireSubscriptionOf(
  view: View,
  customerId: Id<'customer'>,
  text: string,
  pointer = '/subscription_id',
): Promise<Subscription> {
  const found = await store.findSubscriptionOrNull(view, text)
  if (found !== null && found.customerId === customerId && found.status !== 'cancelled') return found
  const detail = 'is not the id of a subscription of this customer that is not cancelled'
  return refuse('reference_not_found', {
    errors: [{ pointer, code: 'not_found', detail }],
  })
}

export type ListQuery = {
  readonly customer_id?: string | undefined
  readonly price_id?: string | undefined
  readonly test_clock_id?: string | undefined
  readonly status?: string | undefined
  readonly collection_status?: string | undefined
}

export function listSubscriptions(deps: Deps, caller: Caller, range: IdRange, query: ListQuery) {
  const filter = {
    customerUuid: uuidInFilter('customer', caller.mode, query.customer_id),
    priceUuid: uuidInFilter('price', caller.mode, query.price_id),
    testClockUuid: uuidInFilter('test_clock', caller.mode, query.test_clock_id),
    status: query.status ?? null,
    collectionStatus: query.collection_status ?? null,
  }
  return read(deps, caller, async (view) => {
    const { rows, hasMore } = await store.listSubscriptions(view, range, filter)
    return { rows: await addAccess(view, rows), hasMore }
  })
}

/** All subscriptions and the credit of a customer. */
export async function getBillingState(deps: Deps, caller: Caller, text: string): Promise<CustomerState> {
  const { id: customerId } = await getCustomer(deps, caller, text)
  return read(deps, caller, async (view) => {
    const subscriptions = await addAccess(view, await store.subscriptionsOf(view, customerId))
    const credit: CustomerState['credit'][number][] = []
    for (const currency of new Set(subscriptions.map((subscription) => subscription.currency)))
      credit.push({ currency, balance: await creditOf(view, customerId, currency) })
    return { customerId, subscriptions, credit }
  })
}

async function addAccess(
  view: View,
  subscriptions: readonly Subscription[],
): Promise<SubscriptionWithAccess[]> {
  const owed = await listOwedInvoices(
    view,
    subscriptions.map(({ id }) => id),
  )
  return subscriptions.map((subscription) => withAccess(subscription, owed.get(subscription.id) ?? []))
}

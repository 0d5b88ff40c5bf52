/** Creates a subscription, or plans the creation for a preview. */
import { wholeSecond } from '../../../../kernel/calendar.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { mergeMetadata } from '../../../../kernel/metadata.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { requireCustomer } from '../../../payments/customers/service.ts'
import { findDefaultMethod } from '../../../payments/payment-methods/service.ts'
import { requirePublished } from '../../../routing/payment-routes/service/decide.ts'
import {
  type DiscountInput,
  type DiscountList,
  discountsAfter,
  redeemNew,
} from '../../discounts/service/attach.ts'
import { countCustomerPeriods, loadCustomerDiscounts } from '../../discounts/service.ts'
import { requireDunningPolicy } from '../../dunning-policies/service.ts'
import { draftInvoices } from '../../invoices/service.ts'
import { markPricesUsed } from '../../products/service.ts'
import { loadTaxRates } from '../../tax-rules/service/load-rates.ts'
import { wakeTestClock } from '../../test-clocks/service.ts'
import { type SubscriptionWithAccess, withAccess } from '../collection.ts'
import { anchorOf, scheduledChangeOf, trialOf } from '../command-input.ts'
import { eventDefinitions } from '../events.ts'
import { withNextAction } from '../plan/plan.ts'
import { emptyMoneyFacts, type Plan } from '../plan/snapshot.ts'
import { isBilledNow, planNewSubscription } from '../plan/start.ts'
import { noTax } from '../plan/tax.ts'
import type { CreateSubscription } from '../schema/commands.ts'
import { changeSpans } from '../store/spans.ts'
import { insertSubscription } from '../store/subscriptions.ts'
import {
  type Item,
  initialState,
  type Subscription,
  type SubscriptionTerms,
  termsOfItem,
} from '../subscription.ts'
import { idFactoryOf } from './load-snapshot.ts'
import { refuseQuantities, requireFreeMeters } from './metered-items.ts'
import {
  type ItemPrice,
  priceIdsOf,
  requireCommonTerms,
  requireMethodOf,
  requirePrices,
} from './priced-items.ts'

/** Plans a new subscription without writing anything. */
export async function planCreation(
  tx: Tx,
  input: Omit<CreateSubscription, 'preview_token'>,
  previewAt: Date | null,
): Promise<{ readonly initial: Subscription; readonly plan: Plan }> {
  const at = wholeSecond(previewAt ?? tx.now)
  const [initial] = (await loadCustomerDiscounts(tx, [await newSubscription(tx, input, at)])) as [
    Subscription,
  ]
  const snapshot = { subscription: initial, money: emptyMoneyFacts }
  const context = { at, now: tx.now, ids: idFactoryOf(tx) }
  const [loaded] = isBilledNow(initial) ? await loadTaxRates(tx, [initial]) : []
  return {
    initial,
    plan: withNextAction(snapshot, planNewSubscription(initial, context, { ...noTax, ...loaded })),
  }
}

export async function writeCreation(
  tx: Tx,
  plan: Plan,
  initial: Subscription,
): Promise<SubscriptionWithAccess> {
  const after = plan.steps.at(-1)?.after ?? initial
  await markPricesUsed(tx, priceIdsOf(initial), '/items')
  // The redemptions of a checkout session are reserved with the session, and used when it is completed.
  if (initial.checkoutSessionId === null) await redeemNew(tx, [], { ...initial, subscriptionId: initial.id })
  await countCustomerPeriods(tx, [[initial.discounts, ...plan.steps.map((step) => step.after.discounts)]])
  const subscription = await insertSubscription(tx, { ...after, version: 1, sequence: 1 })
  await draftInvoices(tx, plan.invoices)
  await changeSpans(tx, [{ subscriptionId: subscription.id, changes: plan.spans }])
  const created = withAccess(subscription, [])
  tx.emit(eventDefinitions.created, { after: created })
  await wakeTestClock(tx)
  return created
}

async function newSubscription(
  tx: Tx,
  input: Omit<CreateSubscription, 'preview_token'>,
  at: Date,
): Promise<Subscription> {
  const customer = await requireCustomer(tx, input.customer_id)
  const prices = (await requirePrices(tx, input.items)) as ItemPrice[]
  const { currency, interval } = requireCommonTerms(prices)
  const scheduledChange = scheduledChangeOf(input.scheduled_change)
  if (scheduledChange !== null && scheduledChange.at !== 'period_end' && scheduledChange.at <= at)
    refuseMember('/scheduled_change/at', 'too_small', 'must be in the future')
  refuseQuantities(input.items, prices)
  const items = newItems(tx, input.items, prices)
  await requireFreeMeters(tx, { id: null, customerId: customer.id }, items)
  const terms: SubscriptionTerms = {
    customerId: customer.id,
    currency,
    interval,
    testClockId: customer.testClockId,
    checkoutSessionId: null,
    items,
    discounts: await discountsAfter(
      tx,
      { customerId: customer.id, currency, items },
      [],
      [...discountListsOf(input.items, (index) => items[index]?.id), { inputs: input.discounts ?? [] }],
    ),
    paymentMethodId: await choosePaymentMethod(tx, customer.id, input.payment_method_id),
    paymentRouteId: await requireRouteOrNull(tx, input.payment_route_id),
    dunningPolicyId: await requirePolicyOrNull(tx, input.dunning_policy_id),
    description: input.description ?? null,
    metadata: mergeMetadata({}, input.metadata ?? {}),
    activationPolicy: input.activation_policy ?? 'on_payment',
    requestedAnchor: anchorOf(input.anchor, interval),
  }
  return {
    ...initialState,
    ...terms,
    id: tx.newId('subscription'),
    scheduledChange,
    trial: trialOf(input.trial, at),
    accountedAt: at,
    startedAt: at,
    createdAt: tx.now,
    updatedAt: tx.now,
    version: 0,
    sequence: 0,
  }
}

/** The lists of discounts of the items in a request. */
export function discountListsOf(
  inputs: readonly { readonly discounts?: readonly DiscountInput[]; readonly delete?: boolean }[],
  idOf: (index: number) => Item['id'] | undefined,
): DiscountList[] {
  return inputs.flatMap(({ discounts, delete: isDeleted }, index) => {
    const itemId = idOf(index)
    return discounts === undefined || itemId === undefined || isDeleted
      ? []
      : [{ inputs: discounts, itemId, pointer: `/items/${index}/discounts` }]
  })
}

function newItems(tx: Tx, inputs: CreateSubscription['items'], prices: readonly ItemPrice[]): Item[] {
  return inputs.map(({ quantity = 1, metadata }, index) => {
    const price = prices[index] as ItemPrice
    const id = tx.newId('subscription_item')
    return {
      id,
      ...termsOfItem(price),
      quantity,
      metadata: mergeMetadata({}, metadata ?? {}),
    }
  })
}

/** The payment method from the request, or the default of the customer. Null if there is none. */
async function choosePaymentMethod(
  tx: Tx,
  customerId: Id<'customer'>,
  text: string | null | undefined,
): Promise<Id<'payment_method'> | null> {
  if (text === null) return null
  return text === undefined ? findDefaultMethod(tx, customerId) : requireMethodOf(tx, customerId, text)
}

/** Finds the route that the request refers to, if any. */
export async function requireRouteOrNull(
  tx: Tx,
  text: string | null | undefined,
): Promise<Id<'payment_route'> | null> {
  return text == null ? null : requirePublished(tx, text)
}

/** Finds the dunning policy that the request refers to, if any. */
export async function requirePolicyOrNull(
  tx: Tx,
  text: string | null | undefined,
): Promise<Id<'dunning_policy'> | null> {
  return text == null ? null : (await requireDunningPolicy(tx, text)).id
}

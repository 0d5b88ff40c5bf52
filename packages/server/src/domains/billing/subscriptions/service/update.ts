/** Converts an update request to a command, and loads the objects that it refers to. */
import { refuse } from '../../../../kernel/errors.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { discountsAfter } from '../../discounts/service/attach.ts'
import { findItem, itemsAfter, parseWholeSecond, settingsOf } from '../command-input.ts'
import type { Command } from '../plan/commands.ts'
import type { UpdateSubscription } from '../schema/commands.ts'
import { type Item, type Subscription, termsOfItem, type UpdateOptions } from '../subscription.ts'
import { discountListsOf, requirePolicyOrNull, requireRouteOrNull } from './create.ts'
import { refuseQuantities, requireFreeMeters } from './metered-items.ts'
import { type ItemPrice, requireCommonTerms, requireMethodOf, requirePrices } from './priced-items.ts'

export async function updateCommand(
  tx: Tx,
  subscription: Subscription,
  input: Omit<UpdateSubscription, 'preview_token'>,
): Promise<Command> {
  const { payment_method_id: method, dunning_policy_id: policy, payment_route_id: route } = input
  const { proration, trial } = input
  const change = input.items === undefined ? null : await changedItems(tx, subscription, input.items)
  return {
    kind: 'update',
    options: {
      settings: {
        ...settingsOf(subscription, input),
        ...(method === undefined
          ? {}
          : {
              paymentMethodId:
                method === null ? null : await requireMethodOf(tx, subscription.customerId, method),
            }),
        ...(route === undefined ? {} : { paymentRouteId: await requireRouteOrNull(tx, route) }),
        ...(policy === undefined ? {} : { dunningPolicyId: await requirePolicyOrNull(tx, policy) }),
        ...(await changedDiscounts(tx, subscription, input, change?.itemIds ?? [])),
      },
      items: change?.options ?? null,
      behaviour: proration?.behaviour ?? 'invoice_now',
      changedAt: proration?.at === undefined ? null : parseWholeSecond(proration.at, '/proration/at'),
      trialEndAt: trial === undefined ? null : parseWholeSecond(trial.end_at, '/trial/end_at'),
      removesScheduledChange: input.scheduled_change === null,
    },
  }
}

type Inputs = NonNullable<UpdateSubscription['items']>

async function changedDiscounts(
  tx: Tx,
  subscription: Subscription,
  { items = [], discounts }: Pick<UpdateSubscription, 'items' | 'discounts'>,
  itemIds: readonly (Item['id'] | undefined)[],
): Promise<Pick<Subscription, 'discounts'> | undefined> {
  const lists = [
    ...discountListsOf(items, (index) => itemIds[index]),
    ...(discounts === undefined ? [] : [{ inputs: discounts }]),
  ]
  if (lists.length === 0) return undefined
  return { discounts: await discountsAfter(tx, subscription, subscription.discounts, lists) }
}

type ChangedItems = {
  readonly options: UpdateOptions
  /** The item of each input. Undefined if the input removed it. */
  readonly itemIds: readonly (Item['id'] | undefined)[]
}

async function changedItems(tx: Tx, subscription: Subscription, inputs: Inputs): Promise<ChangedItems> {
  const prices = await requirePrices(tx, inputs)
  refuseQuantities(inputs, prices)
  const items = itemsAfter(
    subscription,
    inputs,
    prices.map((price) => price && termsOfItem(price)),
    () => tx.newId('subscription_item'),
  )
  await requireFreeMeters(tx, subscription, items)
  const { currency, interval } = subscription
  const requestedPrices = new Map(
    prices.flatMap((price) => (price === null ? [] : [[price.priceId, price] as const])),
  )
  const itemPrices = items.map(
    (item): ItemPrice => requestedPrices.get(item.priceId) ?? { ...item, currency, interval },
  )
  const commonTerms = requireCommonTerms(itemPrices)
  // Amounts charged in one currency cannot be returned in another.
  if (commonTerms.currency !== currency)
    refuse('mixed_interval', {
      detail: `The currency of a subscription cannot change: this one is billed in ${currency}.`,
      resource_id: items[0]?.priceId ?? '',
    })
  const itemIds = inputs.map((input, index) => findItem(items, input, prices[index] ?? null)?.id)
  return { options: { items, interval: commonTerms.interval }, itemIds }
}

/** Converts an update request to a command, and loads the objects that it refers to. */
import { refuse } from '../../../../kernel/errors.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { itemsAfter, parseTime, settingsOf } from '../command-input.ts'
import type { Command } from '../plan/commands.ts'
import type { UpdateSubscription } from '../schema/commands.ts'
import type { Subscription, UpdateOptions } from '../subscription.ts'
import { requirePolicyOrNull, requireRouteOrNull } from './create.ts'
import { type ItemPrice, requireCommonTerms, requireMethodOf, requirePrices } from './priced-items.ts'

export async function updateCommand(
  tx: Tx,
  subscription: Subscription,
  input: Omit<UpdateSubscription, 'preview_token'>,
): Promise<Command> {
  const { payment_method_id: method, dunning_policy_id: policy, payment_route_id: route } = input
  const { proration, trial } = input
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
      },
      items: input.items === undefined ? null : await changedItems(tx, subscription, input.items),
      behaviour: proration?.behaviour ?? 'invoice_now',
      changedAt: proration?.at === undefined ? null : parseTime(proration.at, '/proration/at'),
      trialEndAt: trial === undefined ? null : parseTime(trial.end_at, '/trial/end_at'),
      removesScheduledChange: input.scheduled_change === null,
    },
  }
}

type Inputs = NonNullable<UpdateSubscription['items']>

async function changedItems(tx: Tx, subscription: Subscription, inputs: Inputs): Promise<UpdateOptions> {
  const prices = await requirePrices(tx, inputs)
  const items = itemsAfter(subscription, inputs, prices.map(toPricedItem), () =>
    tx.newId('subscription_item'),
  )
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
  return { items, interval: commonTerms.interval }
}

function toPricedItem(price: ItemPrice | null) {
  if (price === null) return null
  const { priceId, productId, unitAmountDecimal } = price
  return { priceId, productId, unitAmountDecimal }
}

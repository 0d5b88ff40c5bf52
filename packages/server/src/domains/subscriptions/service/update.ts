/** What a change asks for, with the objects that it names. */
import { refuse } from '../../../kernel/errors.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Command } from '../plan/commands.ts'
import type { UpdateSubscription } from '../schema/commands.ts'
import type { Subscription, UpdateWish } from '../subscription.ts'
import { itemsAfter, settingsOf, timeIn } from '../wishes.ts'
import { policyIn, routeIn } from './create.ts'
import { commonTerms, methodOf, type Priced, pricesOf } from './terms.ts'

export async function updateCommand(
  tx: Tx,
  subscription: Subscription,
  input: Omit<UpdateSubscription, 'preview_token'>,
): Promise<Command> {
  const { payment_method_id: method, dunning_policy_id: policy, payment_route_id: route } = input
  const { proration, trial } = input
  return {
    is: 'update',
    wish: {
      settings: {
        ...settingsOf(subscription, input),
        ...(method === undefined
          ? {}
          : {
              paymentMethodId: method === null ? null : await methodOf(tx, subscription.customerId, method),
            }),
        ...(route === undefined ? {} : { paymentRouteId: await routeIn(tx, route) }),
        ...(policy === undefined ? {} : { dunningPolicyId: await policyIn(tx, policy) }),
      },
      items: input.items === undefined ? null : await itemsWish(tx, subscription, input.items),
      behaviour: proration?.behaviour ?? 'invoice_now',
      changedAt: proration?.at === undefined ? null : timeIn(proration.at, '/proration/at'),
      trialEndAt: trial === undefined ? null : timeIn(trial.end_at, '/trial/end_at'),
      withdraws: input.scheduled_change === null,
    },
  }
}

type Inputs = NonNullable<UpdateSubscription['items']>

async function itemsWish(tx: Tx, subscription: Subscription, inputs: Inputs): Promise<UpdateWish> {
  const prices = await pricesOf(tx, inputs)
  const items = itemsAfter(subscription, inputs, prices.map(withoutClock), () =>
    tx.newId('subscription_item'),
  )
  const { currency, interval } = subscription
  const known = new Map(prices.flatMap((price) => (price === null ? [] : [[price.priceId, price] as const])))
  const clocks = items.map((item): Priced => known.get(item.priceId) ?? { ...item, currency, interval })
  const common = commonTerms(clocks)
  // Money that was taken in one currency cannot come back in another.
  if (common.currency !== currency) refuse('mixed_interval', { resource_id: items[0]?.priceId ?? '' })
  return { items, interval: common.interval }
}

function withoutClock(price: Priced | null) {
  if (price === null) return null
  const { priceId, productId, unitAmountDecimal } = price
  return { priceId, productId, unitAmountDecimal }
}

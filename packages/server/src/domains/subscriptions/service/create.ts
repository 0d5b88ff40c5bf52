/** The birth of a subscription, and what it would be. */
import { wholeSecond } from '../../../kernel/calendar.ts'
import { refuseMember } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { requireCustomer } from '../../customers/service.ts'
import { requireDunningPolicy } from '../../dunning-policies/service.ts'
import { draftInvoices } from '../../invoices/service.ts'
import { requirePublished } from '../../payment-routes/service/decide.ts'
import { usePrices } from '../../products/service.ts'
import { touchClock } from '../../test-clocks/service.ts'
import { type ShownSubscription, shown } from '../collection.ts'
import { toldBy } from '../events.ts'
import { withNextAction } from '../plan/plan.ts'
import { noMoney, type Plan } from '../plan/scene.ts'
import { create } from '../plan/start.ts'
import type { CreateSubscription } from '../schema/commands.ts'
import { changeSpans } from '../store/spans.ts'
import { insertSubscription, latestMethodOf } from '../store/subscriptions.ts'
import { newborn, type Subscription, type Terms } from '../subscription.ts'
import { anchorWishOf, scheduledOf, trialOf } from '../wishes.ts'
import { drawIn } from './scene.ts'
import { commonTerms, methodOf, type Priced, pricesIn, pricesOf } from './terms.ts'

/** The newborn and the plan of its birth; nothing is written yet. */
export async function planCreation(
  tx: Tx,
  input: Omit<CreateSubscription, 'preview_token'>,
  asked: Date | null,
): Promise<{ readonly born: Subscription; readonly plan: Plan }> {
  const at = wholeSecond(asked ?? tx.now)
  const born = await bornOf(tx, input, at)
  const scene = { subscription: born, money: noMoney }
  return { born, plan: withNextAction(scene, create(born, { at, now: tx.now, draw: drawIn(tx) })) }
}

export async function writeCreation(tx: Tx, plan: Plan, born: Subscription): Promise<ShownSubscription> {
  const after = plan.steps.at(-1)?.after ?? born
  await usePrices(tx, pricesIn(born), '/items')
  const subscription = await insertSubscription(tx, { ...after, version: 1, sequence: 1 })
  await draftInvoices(tx, plan.invoices)
  await changeSpans(tx, [{ subscriptionId: subscription.id, changes: plan.spans }])
  const told = shown(subscription, [])
  tx.emit(toldBy.created, { after: told })
  await touchClock(tx)
  return told
}

async function bornOf(
  tx: Tx,
  input: Omit<CreateSubscription, 'preview_token'>,
  at: Date,
): Promise<Subscription> {
  const customer = await requireCustomer(tx, input.customer_id)
  const prices = (await pricesOf(tx, input.items)) as Priced[]
  const { currency, interval } = commonTerms(prices)
  const scheduledChange = scheduledOf(input.scheduled_change)
  if (scheduledChange !== null && scheduledChange.at !== 'period_end' && scheduledChange.at <= at)
    refuseMember('/scheduled_change/at', 'too_small', 'must be a time to come')
  const terms: Terms = {
    ...{ customerId: customer.id, currency, interval, testClockId: customer.testClockId },
    items: input.items.map(({ quantity = 1, metadata }, place) => {
      const { priceId, productId, unitAmountDecimal } = prices[place] as Priced
      const id = tx.newId('subscription_item')
      return {
        id,
        priceId,
        productId,
        unitAmountDecimal,
        quantity,
        metadata: mergeMetadata({}, metadata ?? {}),
      }
    }),
    paymentMethodId: await chosenMethod(tx, customer.id, input.payment_method_id),
    paymentRouteId: await routeIn(tx, input.payment_route_id),
    dunningPolicyId: await policyIn(tx, input.dunning_policy_id),
    description: input.description ?? null,
    metadata: mergeMetadata({}, input.metadata ?? {}),
    activationPolicy: input.activation_policy ?? 'on_payment',
    anchorWish: anchorWishOf(input.anchor, interval),
  }
  return {
    ...{ ...newborn, ...terms, id: tx.newId('subscription'), scheduledChange },
    ...{ trial: trialOf(input.trial, at), accountedAt: at, startedAt: at },
    ...{ createdAt: tx.now, updatedAt: tx.now, version: 0, sequence: 0 },
  }
}

/** What the customer pays with, unless the body says otherwise. Null: nothing, until there is one. */
async function chosenMethod(
  tx: Tx,
  customerId: Id<'customer'>,
  text: string | null | undefined,
): Promise<Id<'payment_method'> | null> {
  if (text === null) return null
  return text === undefined ? latestMethodOf(tx, customerId) : methodOf(tx, customerId, text)
}

/** The route that a body names. */
export async function routeIn(tx: Tx, text: string | null | undefined): Promise<Id<'payment_route'> | null> {
  return text == null ? null : requirePublished(tx, text)
}

/** The policy that a body names. */
export async function policyIn(
  tx: Tx,
  text: string | null | undefined,
): Promise<Id<'dunning_policy'> | null> {
  return text == null ? null : (await requireDunningPolicy(tx, text)).id
}

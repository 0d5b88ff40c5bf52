/**
 * Subscriptions that a checkout sells. The payer pays first: the order is planned when the payer confirms, and planned
 * again with the same instant when the payment has succeeded. Both use the planning code of every new subscription, so
 * the amount that is charged is the total of the first invoice.
 */
import { assert } from '../../../../kernel/assert.ts'
import type { Interval } from '../../../../kernel/calendar.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import type { Id } from '../../../../kernel/id.ts'
import {
  amountsOfDraft,
  draftLine,
  type InvoiceDraft,
  type LineDraft,
} from '../../../../kernel/invoice-lines.ts'
import { type Metadata, mergeMetadata } from '../../../../kernel/metadata.ts'
import { minimumCharge, multiplyDecimal } from '../../../../kernel/money.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { bindPayment } from '../../invoices/service.ts'
import { anchorOf, trialOf } from '../command-input.ts'
import { withNextAction } from '../plan/plan.ts'
import { emptyMoneyFacts, type Plan } from '../plan/snapshot.ts'
import { planNewSubscription } from '../plan/start.ts'
import { type Item, initialState, type Subscription } from '../subscription.ts'
import { writeCreation } from './create.ts'

/** `trial`, `anchor` and `metadata`, with the member names of the API. */
export type CheckoutOptions = {
  readonly trial?: Parameters<typeof trialOf>[0]
  readonly anchor?: Parameters<typeof anchorOf>[0]
  readonly metadata?: Metadata
}

/** An amount that the first invoice charges once. */
export type OneTimeItem = {
  readonly priceId: Id<'price'> | null
  readonly name: string
  readonly unitAmountDecimal: string
  readonly quantity: number
}

export type CheckoutOrder = {
  /** When the payer confirmed: the subscription starts then. */
  readonly at: Date
  readonly subscriptionId: Id<'subscription'>
  readonly invoiceId: Id<'invoice'>
  readonly checkoutSessionId: Id<'checkout_session'>
  readonly currency: Currency
  readonly interval: Interval
  readonly items: readonly Omit<Item, 'id' | 'metadata'>[]
  readonly oneTimeItems: readonly OneTimeItem[]
  readonly options: CheckoutOptions
  readonly paymentRouteId: Id<'payment_route'> | null
}

/** What the payer is charged now and later. */
export type Offer = {
  readonly dueNow: bigint
  /** The amount of each full period. */
  readonly recurring: bigint
  readonly interval: Interval
  readonly trialEndAt: Date | null
  /** When the next amount is charged. */
  readonly nextChargeAt: Date
}

/** Plans the order without writing anything. */
export function offerOf(order: CheckoutOrder): Offer {
  const { initial, plan } = planOrder(order, buyerInPreview, order.at)
  const after = plan.steps.at(-1)?.after ?? initial
  return {
    dueNow: chargedNow(plan, order.currency),
    recurring: order.items.reduce(
      (sum, item) => sum + multiplyDecimal(item.unitAmountDecimal, item.quantity),
      0n,
    ),
    interval: order.interval,
    trialEndAt: after.trial?.endAt ?? null,
    nextChargeAt: after.trial?.endAt ?? after.currentPeriod?.endAt ?? order.at,
  }
}

/** An amount below the minimum charge is carried over to the next invoice, as for every invoice. */
function chargedNow({ invoices }: Plan, currency: Currency): bigint {
  const total = invoices.reduce((sum, invoice) => sum + amountsOfDraft(invoice).total, 0n)
  return total < minimumCharge(currency) ? 0n : total
}

type Buyer = {
  readonly customerId: Id<'customer'>
  readonly paymentMethodId: Id<'payment_method'> | null
  readonly newItemId: () => Item['id']
}

/** Offers show no ids. */
const buyerInPreview: Buyer = {
  customerId: '' as Id<'customer'>,
  paymentMethodId: null,
  newItemId: () => '' as Item['id'],
}

type Planned = { readonly initial: Subscription; readonly plan: Plan }

function planOrder(order: CheckoutOrder, buyer: Buyer, now: Date): Planned {
  const { at, options, oneTimeItems, invoiceId } = order
  const initial: Subscription = {
    ...initialState,
    id: order.subscriptionId,
    customerId: buyer.customerId,
    paymentMethodId: buyer.paymentMethodId,
    paymentRouteId: order.paymentRouteId,
    checkoutSessionId: order.checkoutSessionId,
    currency: order.currency,
    interval: order.interval,
    items: order.items.map((item) => ({ ...item, id: buyer.newItemId(), metadata: {} })),
    dunningPolicyId: null,
    testClockId: null,
    description: null,
    metadata: mergeMetadata({}, options.metadata ?? {}),
    activationPolicy: 'on_payment',
    requestedAnchor: anchorOf(options.anchor, order.interval),
    scheduledChange: null,
    trial: trialOf(options.trial, at),
    accountedAt: at,
    startedAt: at,
    createdAt: now,
    updatedAt: now,
    version: 0,
    sequence: 0,
  }
  const ids = { invoice: () => invoiceId, change: () => '' as Id<'subscription_change'> }
  const planned = planNewSubscription(initial, { at, now, ids })
  const oneTimeLines = oneTimeItems.map((item) => oneTimeLine(order, item))
  const invoices = planned.invoices.map((draft) => withLines(draft, oneTimeLines))
  return {
    initial,
    plan: withNextAction({ subscription: initial, money: emptyMoneyFacts }, { ...planned, invoices }),
  }
}

const withLines = (draft: InvoiceDraft, lines: readonly LineDraft[]): InvoiceDraft => ({
  ...draft,
  lines: [...draft.lines, ...lines],
})

function oneTimeLine({ currency, at }: CheckoutOrder, { name, ...item }: OneTimeItem): LineDraft {
  return draftLine(currency, {
    ...item,
    rule: 'one_time',
    description: name,
    subscriptionItemId: null,
    service: { startAt: at, endAt: at },
    numeratorSeconds: 1,
    denominatorSeconds: 1,
    changeId: null,
  })
}

type PaidBy = Omit<Buyer, 'newItemId'> & {
  readonly payment: { readonly id: Id<'payment'>; readonly amount: bigint }
}

/**
 * Writes the subscription of a paid order, with the prices of the order, even if a price was archived meanwhile. The
 * invoice is bound to the payment; it is null if nothing was due and the card was only verified.
 */
export async function createFromCheckout(
  tx: Tx,
  order: CheckoutOrder,
  { payment, ...buyer }: PaidBy,
): Promise<Subscription> {
  const newItemId = () => tx.newId('subscription_item')
  const { initial, plan } = planOrder(order, { ...buyer, newItemId }, tx.now)
  assert(
    chargedNow(plan, order.currency) === payment.amount,
    'The total of the first invoice must be the amount that was charged: plan it with the instant of the order.',
  )
  const subscription = await writeCreation(tx, plan, initial)
  if (payment.amount > 0n) await bindPayment(tx, order.invoiceId, payment.id)
  return subscription
}

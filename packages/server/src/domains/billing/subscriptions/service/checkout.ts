/**
 * Subscriptions that a checkout sells. The payer pays first: the order is planned when the payer confirms, and planned
 * again with the same instant when the payment has succeeded. Both use the planning code of every new subscription, so
 * the amount that is charged is the total of the first invoice.
 */
import { assert } from '../../../../kernel/assert.ts'
import type { Interval } from '../../../../kernel/calendar.ts'
import type { Currency } from '../../../../kernel/currency.ts'
import { type AttachedDiscount, discountLines } from '../../../../kernel/discounts.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { TaxGroup } from '../../../../kernel/invoice-arithmetic.ts'
import {
  amountsOfDraft,
  draftLine,
  type InvoiceDraft,
  type LineDraft,
} from '../../../../kernel/invoice-lines.ts'
import { type Metadata, mergeMetadata } from '../../../../kernel/metadata.ts'
import { minimumCharge } from '../../../../kernel/money.ts'
import { amountFor, type PriceFactors } from '../../../../kernel/price-schemes.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { bindPayment } from '../../invoices/service.ts'
import { loadTaxRates } from '../../tax-rules/service/load-rates.ts'
import { anchorOf, trialOf } from '../command-input.ts'
import { withNextAction } from '../plan/plan.ts'
import { emptyMoneyFacts, type Plan } from '../plan/snapshot.ts'
import { planNewSubscription } from '../plan/start.ts'
import { noTax, type TaxFacts } from '../plan/tax.ts'
import { type Item, initialState, type Subscription } from '../subscription.ts'
import { writeCreation } from './create.ts'

export { noTax, type TaxFacts } from '../plan/tax.ts'

/** `trial`, `anchor` and `metadata`, with the member names of the API. */
export type CheckoutOptions = {
  readonly trial?: Parameters<typeof trialOf>[0]
  readonly anchor?: Parameters<typeof anchorOf>[0]
  readonly metadata?: Metadata
}

/** An amount that the first invoice charges once. */
export type OneTimeItem = PriceFactors & {
  readonly priceId: Id<'price'> | null
  readonly name: string
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
  /** Apply to the recurring items. */
  readonly discounts: readonly AttachedDiscount[]
  /** The rates that were stored for the payer. Null: the amounts include the tax. */
  readonly tax: TaxFacts | null
  readonly options: CheckoutOptions
  readonly paymentRouteId: Id<'payment_route'> | null
}

/** What the payer is charged now and later. */
export type Offer = {
  readonly dueNow: bigint
  /** The tax that is added to the prices that are charged now. */
  readonly addedTaxes: readonly TaxGroup[]
  /** The amount of each full period, with tax. */
  readonly recurring: bigint
  readonly interval: Interval
  readonly trialEndAt: Date | null
  /** When the next amount is charged. */
  readonly nextChargeAt: Date
}

/**
 * Converts the rates of an order to inclusive rates: the payer paid the amount on the payment page, so it includes
 * the tax.
 */
async function includedTaxOf(tx: Tx, order: CheckoutOrder, { customerId }: Buyer): Promise<TaxFacts> {
  const oneTime = order.oneTimeItems.flatMap(({ priceId }) => (priceId === null ? [] : [{ priceId }]))
  const [loaded] = await loadTaxRates(tx, [{ customerId, items: [...order.items, ...oneTime] }])
  if (loaded === undefined) return noTax
  const rates = new Map([...loaded.rates].map(([id, rate]) => [id, { ...rate, inclusive: true }]))
  const unpriced = loaded.unpriced ? { ...loaded.unpriced, inclusive: true } : null
  return { ...noTax, ...loaded, rates, unpriced }
}

/** Plans the order without writing anything. */
export function offerOf(order: CheckoutOrder): Offer {
  const { initial, plan } = planOrder(order, buyerInPreview, order.at, order.tax ?? noTax)
  const after = plan.steps.at(-1)?.after ?? initial
  return {
    dueNow: chargedNow(plan, order.currency),
    addedTaxes: plan.invoices
      .flatMap((invoice) => amountsOfDraft(invoice).taxGroups)
      .filter(({ rate, tax }) => !rate.inclusive && tax > 0n),
    recurring: recurringAmount(order),
    interval: order.interval,
    trialEndAt: after.trial?.endAt ?? null,
    nextChargeAt: after.trial?.endAt ?? after.currentPeriod?.endAt ?? order.at,
  }
}

/** The amount of a full period, after the discounts that apply to every period. */
function recurringAmount({ currency, items, discounts, tax }: CheckoutOrder): bigint {
  const lines = items.map((item) => ({
    amount: amountFor(item, item.quantity),
    productId: item.productId,
    taxRate: tax?.rates.get(item.priceId) ?? null,
  }))
  const lasting = discounts.filter(({ periods }) => periods === null)
  const applied = discountLines(currency, lines, lasting)
  const discounted = lines.map((line, index) => ({ ...line, discounts: applied[index] ?? [] }))
  return amountsOfDraft({ currency, lines: discounted }).total
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

function planOrder(order: CheckoutOrder, buyer: Buyer, now: Date, tax: TaxFacts = noTax): Planned {
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
    discounts: order.discounts,
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
  const planned = planNewSubscription(initial, { at, now, ids }, tax)
  const oneTimeLines = oneTimeItems.map((item) => oneTimeLine(order, item, tax))
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

function oneTimeLine(
  { currency, at }: CheckoutOrder,
  { name, ...item }: OneTimeItem,
  { rates, unpriced = null }: TaxFacts,
): LineDraft {
  return draftLine(currency, {
    ...item,
    taxRate: item.priceId === null ? unpriced : (rates.get(item.priceId) ?? null),
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
 * Writes the subscription of a paid order, with the prices of the order, even if a price was archived in the
 * meantime. The invoice is bound to the payment; it is null if nothing was due and the card was only verified.
 */
export async function createFromCheckout(
  tx: Tx,
  order: CheckoutOrder,
  { payment, ...buyer }: PaidBy,
): Promise<Subscription> {
  const newItemId = () => tx.newId('subscription_item')
  const paidBuyer = { ...buyer, newItemId }
  const tax = order.tax ?? (await includedTaxOf(tx, order, paidBuyer))
  const { initial, plan } = planOrder(order, paidBuyer, tx.now, tax)
  assert(
    chargedNow(plan, order.currency) === payment.amount,
    'The total of the first invoice must be the amount that was charged: plan it with the instant of the order.',
  )
  const subscription = await writeCreation(tx, plan, initial)
  if (payment.amount > 0n) await bindPayment(tx, order.invoiceId, payment.id)
  return subscription
}

/** Converts a subscription to its API form, for responses and events. */
import type { Static } from 'typebox'
import { money, toWire } from '../../../../kernel/money.ts'
import { presentDiscount } from '../../discounts/schema.ts'
import type { SubscriptionWithAccess } from '../collection.ts'
import { effectiveAt } from '../plan/due.ts'
import type { Item, ScheduledChange, Subscription } from '../subscription.ts'
import type { AccessShape, Collection, ItemObject, Scheduled, SubscriptionObject } from './subscription.ts'

export function present(subscription: SubscriptionWithAccess): Static<typeof SubscriptionObject> {
  const { interval, anchor, cancellation, parked } = subscription
  return {
    id: subscription.id,
    object: 'subscription',
    status: subscription.status,
    customer_id: subscription.customerId,
    payment_method_id: subscription.paymentMethodId,
    payment_route_id: subscription.paymentRouteId,
    dunning_policy_id: subscription.dunningPolicyId,
    checkout_session_id: subscription.checkoutSessionId,
    currency: subscription.currency,
    interval: { unit: interval.unit, count: interval.count },
    description: subscription.description,
    items: presentItems(subscription, subscription.items),
    discounts: presentDiscounts(subscription, undefined),
    anchor: anchor && {
      date: anchor.date,
      day: anchor.day,
      time: anchor.time,
      time_zone: anchor.timeZone,
      epoch: anchor.epoch,
    },
    ...presentTimes(subscription),
    activation_policy: subscription.activationPolicy,
    scheduled_change: presentScheduled(subscription),
    collection: presentCollection(subscription),
    access: presentAccess(subscription),
    cancellation,
    latest_invoice_id: subscription.latestInvoiceId,
    parked: parked && { reason: parked.reason, at: parked.at.toISOString() },
    test_clock_id: subscription.testClockId,
    metadata: subscription.metadata,
    started_at: subscription.startedAt.toISOString(),
    cancelled_at: timeOrNull(subscription.cancelledAt),
    ended_at: timeOrNull(subscription.endedAt),
    created_at: subscription.createdAt.toISOString(),
    updated_at: subscription.updatedAt.toISOString(),
  }
}

const timeOrNull = (at: Date | null) => at?.toISOString() ?? null

function presentItems(
  subscription: Pick<Subscription, 'discounts'>,
  items: readonly Item[],
): Static<typeof ItemObject>[] {
  return items.map(({ id, priceId, productId, quantity, metadata }) => ({
    id,
    price_id: priceId,
    product_id: productId,
    quantity,
    discounts: presentDiscounts(subscription, id),
    metadata,
  }))
}

/** The discounts of an item; without one, those of the subscription. Those of the customer are not included. */
function presentDiscounts({ discounts }: Pick<Subscription, 'discounts'>, itemId: Item['id'] | undefined) {
  return discounts
    .filter((discount) => !discount.isRemoved && !discount.isOfCustomer && discount.itemId === itemId)
    .map(presentDiscount)
}

function presentTimes({ currentPeriod: period, trial, activation, pause }: SubscriptionWithAccess) {
  return {
    current_period: period && {
      index: period.index,
      start_at: period.startAt.toISOString(),
      end_at: period.endAt.toISOString(),
      nominal_start_at: period.nominalStartAt.toISOString(),
      invoice_id: period.invoiceId,
    },
    trial: trial && {
      start_at: trial.startAt.toISOString(),
      end_at: trial.endAt.toISOString(),
      end_behaviour: trial.endBehaviour,
      missing_payment_method: trial.missingPaymentMethod,
    },
    activation: activation && {
      purpose: activation.purpose,
      policy: activation.policy,
      state: activation.state,
      invoice_id: activation.invoiceId,
      payment_id: activation.paymentId,
      expires_at: timeOrNull(activation.expiresAt),
      last_decline: activation.lastDecline && {
        code: activation.lastDecline.code,
        advice_code: activation.lastDecline.adviceCode,
        message: activation.lastDecline.message,
      },
    },
    pause: pause && {
      reason: pause.reason,
      paused_at: pause.pausedAt.toISOString(),
      resumes_at: timeOrNull(pause.resumesAt),
      open_invoices: pause.openInvoices,
      unused_time: pause.unusedTime,
      remaining_seconds: pause.remainingSeconds,
    },
  }
}

function presentScheduled(subscription: SubscriptionWithAccess): Static<typeof Scheduled> | null {
  const change = subscription.scheduledChange
  if (change === null) return null
  return {
    action: change.action,
    at: change.at === 'period_end' ? change.at : change.at.toISOString(),
    effective_at: timeOrNull(effectiveAt(subscription)),
    payload: presentPayload(subscription, change),
  }
}

function presentPayload(
  subscription: Subscription,
  { action, payload }: ScheduledChange,
): Record<string, unknown> {
  switch (action) {
    case 'update':
      return { items: presentItems(subscription, payload.items) }
    case 'pause':
      return {
        open_invoices: payload.openInvoices,
        unused_time: payload.unusedTime,
        resumes_at: timeOrNull(payload.resumesAt),
      }
    case 'cancel':
      return {
        open_invoices: payload.openInvoices,
        unused_time: payload.unusedTime,
        feedback: payload.feedback,
      }
  }
}

export function presentCollection({
  collection,
  currency,
}: SubscriptionWithAccess): Static<typeof Collection> {
  return {
    status: collection.status,
    past_due_since_at: timeOrNull(collection.pastDueSinceAt),
    overdue_amount: toWire(money(collection.overdueAmount, currency)).amount,
    open_invoices: collection.openInvoices,
    next_attempt_at: timeOrNull(collection.nextAttemptAt),
    campaign_id: collection.campaignId,
    final_action: collection.finalAction,
    final_action_at: timeOrNull(collection.finalActionAt),
  }
}

export function presentAccess({ access }: SubscriptionWithAccess): Static<typeof AccessShape> {
  return { granted: access.granted, reason: access.reason, until_at: timeOrNull(access.untilAt) }
}

/** Plans the start of a subscription: its trial, its activation payment, and the expiry of the activation. */
import { wholeSecond } from '../../../../kernel/calendar.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { afterPeriodWithdrawn } from '../../../../kernel/discounts.ts'
import type { Id } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { subscriptionMachine } from '../machine.ts'
import {
  type Activation,
  activationSeconds,
  type CurrentPeriod,
  type Decline,
  type Pause,
  type Subscription,
} from '../subscription.ts'
import { noticesBefore } from './due.ts'
import { factsOf } from './facts.ts'
import { enterPeriod, firstPeriod, lengthOf, newPeriod } from './period.ts'
import {
  concatPlans,
  emptyMoneyFacts,
  emptyPlan,
  type Plan,
  type PlanContext,
  type Snapshot,
  type SpanChange,
  withEvent,
} from './snapshot.ts'
import { awaitingPayment, planCancellation, planPause } from './stop.ts'
import { noTax, type TaxFacts } from './tax.ts'

/** Whether creating the subscription creates an invoice. */
export function isBilledNow({ trial, activationPolicy }: Subscription): boolean {
  return trial === null && activationPolicy !== 'on_attempt'
}

/**
 * Plans a new subscription. The first charge runs after the commit, so the request does not wait for a
 * provider.
 */
export function planNewSubscription(
  subscription: Subscription,
  context: PlanContext,
  tax: TaxFacts = noTax,
): Plan {
  const { trial, activationPolicy, startedAt } = subscription
  if (trial !== null) {
    const after = { ...subscription, trialNotices: noticesBefore(startedAt, trial.endAt) }
    const { startAt, endAt } = trial
    const spans = [{ action: 'add', kind: 'trial', startAt, endAt, invoiceId: null }] as const
    return { ...emptyPlan, ...withEvent('created', after), spans }
  }
  // A worker activates the subscription moments later, so that every create response shows `trialing`.
  if (activationPolicy === 'on_attempt') return { ...emptyPlan, ...withEvent('created', subscription) }
  const opened = openStart({ subscription, money: { ...emptyMoneyFacts, tax } }, context)
  return { ...opened, ...withEvent('created', opened.steps.at(-1)?.after ?? subscription) }
}

/** Ends a trial. Also starts a subscription without a trial. */
export function endTrial(snapshot: Snapshot, context: PlanContext): Plan {
  const { subscription } = snapshot
  const { at } = context
  const row = nextTransition(subscriptionMachine, {
    state: subscription.status,
    trigger: 'trial_ended',
    facts: factsOf(snapshot),
  })
  if (row.to === 'cancelled') return planCancellation(snapshot, context, 'trial_ended')
  if (row.to === 'paused') {
    const reason = subscription.trial?.endBehaviour === 'pause' ? 'requested' : 'trial_without_payment_method'
    return planPause(snapshot, context, { reason, ...untilRequested })
  }
  if (row.to === 'trialing') return openStart(snapshot, context)
  // The activation does not depend on payment, so this is a regular period: if it is not paid, dunning
  // starts.
  const { changes, span, invoices, includesPendingLines } = enterPeriod(
    snapshot,
    firstPeriod(subscription, at),
    context,
    {
      reason: 'cycle',
      collect: 'now',
    },
  )
  const after: Subscription = { ...subscription, ...changes, status: row.to }
  return { ...emptyPlan, ...withEvent('activated', after), spans: [span], invoices, includesPendingLines }
}

const untilRequested = { resumesAt: null, openInvoices: 'continue', unusedTime: 'keep' } as const

function openStart(snapshot: Snapshot, context: PlanContext): Plan {
  const { subscription } = snapshot
  const { changes, invoice, span, invoices, includesPendingLines } = enterPeriod(
    snapshot,
    firstPeriod(subscription, context.at),
    context,
    { reason: 'start', collect: 'now' },
  )
  const after = {
    ...subscription,
    ...changes,
    activation: newActivation('start', subscription, invoice.id, context),
  }
  return { ...emptyPlan, ...withEvent('updated', after), spans: [span], invoices, includesPendingLines }
}

/** Bills a full period that starts now. The subscription stays paused until the invoice is paid. */
export function openResumption(snapshot: Snapshot, context: PlanContext): Plan {
  const { subscription } = snapshot
  const { interval, pause, anchor } = subscription
  const { changes, invoice, span, invoices, includesPendingLines } = enterPeriod(
    snapshot,
    // If nothing was billed yet, this is the first period, which uses the requested anchor.
    anchor === null ? firstPeriod(subscription, context.at) : newPeriod(subscription, interval, context.at),
    context,
    { reason: 'resume', collect: 'now' },
  )
  const after: Subscription = {
    ...subscription,
    ...changes,
    pause: pause === null ? null : { ...pause, resumesAt: null, remainingSeconds: 0 },
    activation: newActivation('resume', subscription, invoice.id, context),
  }
  const spans = [{ action: 'truncate', at: context.at }, span] as const
  return { ...emptyPlan, ...withEvent('updated', after), spans, invoices, includesPendingLines }
}

function newActivation(
  purpose: Activation['purpose'],
  { activationPolicy: policy }: Subscription,
  invoiceId: Activation['invoiceId'],
  { now }: PlanContext,
): Activation {
  // The window starts when the invoice can be paid, so that late processing does not shorten it. It uses
  // whole seconds, because proration counts whole seconds.
  const expiresAt = addSeconds(wholeSecond(now), activationSeconds)
  return { purpose, policy, state: 'pending', invoiceId, paymentId: null, expiresAt, lastDecline: null }
}

/** The activation payment succeeded. */
export function activationPaid(snapshot: Snapshot, { at }: PlanContext): Plan {
  const { subscription } = snapshot
  const { activation, currentPeriod, pause } = subscription
  if (activation === null || currentPeriod === null) return emptyPlan
  const row = nextTransition(subscriptionMachine, {
    state: subscription.status,
    trigger: 'paid',
    facts: factsOf(snapshot),
  })
  const activated = {
    ...subscription,
    activation: { ...activation, state: 'done' as const, expiresAt: null },
  }
  if (row.effects.includes('keep_period') && pause !== null) {
    const remainingSeconds = lengthOf(currentPeriod)
    const keptPause = { ...resumingNotBefore(pause, at), remainingSeconds }
    return { ...emptyPlan, ...withEvent('updated', { ...activated, pause: keptPause }) }
  }
  const wasPaused = subscription.status === 'paused'
  const after: Subscription = {
    ...activated,
    status: row.to,
    pause: null,
    accountedAt: currentPeriod.startAt,
  }
  return { ...emptyPlan, ...withEvent(wasPaused ? 'resumed' : 'activated', after) }
}

/** The activation payment failed, so the customer has to act. */
export function activationDeclined(
  snapshot: Snapshot,
  context: PlanContext,
  failure: { readonly paymentId: Activation['paymentId']; readonly decline: Decline | null },
): Plan {
  const { subscription } = snapshot
  const { activation, status } = subscription
  if (activation === null) return emptyPlan
  // The subscription was paused while this payment was in progress. The payment failed, so no period is kept.
  if (status === 'paused' && activation.purpose === 'start') return planWithdrawal(snapshot, context)
  const lastDecline = failure.decline
  const state = 'requires_action' as const
  const after = {
    ...subscription,
    activation: { ...activation, state, paymentId: failure.paymentId, lastDecline },
  }
  return { ...emptyPlan, ...withEvent('activation_required', after) }
}

/** The activation was not paid in time. The time since its start is not billed. */
export function expireActivation(snapshot: Snapshot, context: PlanContext): Plan {
  const { subscription } = snapshot
  const row = nextTransition(subscriptionMachine, {
    state: subscription.status,
    trigger: 'activation_expired',
    facts: factsOf(snapshot),
  })
  const withdrawal = planWithdrawal(snapshot, context)
  const after = withdrawal.steps.at(-1)?.after ?? subscription
  const expired: Plan = {
    ...withdrawal,
    ...withEvent('activation_expired', { ...after, activation: asExpired(subscription.activation) }),
  }
  if (row.to === 'paused' && subscription.status === 'paused') return expired
  const afterExpiry = { subscription: expired.steps[0]?.after ?? after, money: emptyMoneyFacts }
  const ending =
    row.to === 'cancelled'
      ? planCancellation(afterExpiry, context, 'activation_expired')
      : planPause(afterExpiry, context, { reason: 'payment_failure', ...untilRequested })
  return concatPlans(expired, ending)
}

function asExpired(activation: Activation | null): Activation | null {
  return activation === null ? null : { ...activation, state: 'expired', expiresAt: null }
}

/** A resume date that passed while a payment was in progress takes effect when the outcome is known. */
function resumingNotBefore(pause: Pause, at: Date): Pause {
  const { resumesAt } = pause
  return resumesAt !== null && resumesAt < at ? { ...pause, resumesAt: at } : pause
}

/**
 * Keeps a subscription paused even though the payment for its resumption is in progress. If the payment
 * succeeds, the period is kept for later, as for a subscription that is paused during its first payment.
 */
export function planKeepForLater({ subscription }: Snapshot, { at }: PlanContext): Plan {
  const { activation, currentPeriod } = subscription
  if (activation === null || activation.invoiceId === null || currentPeriod === null) return emptyPlan
  const after: Subscription = {
    ...subscription,
    activation: awaitingPayment({ ...activation, purpose: 'start' }),
  }
  return {
    ...emptyPlan,
    ...withEvent('updated', after),
    spans: unbilledSpans(subscription, activation.invoiceId, at),
  }
}

/** Voids the activation invoice. The time since its start counts as trial or pause again. */
export function planWithdrawal({ subscription, money }: Snapshot, { at }: PlanContext): Plan {
  const { activation, currentPeriod, status, pause } = subscription
  const invoiceId = activation?.invoiceId ?? null
  if (invoiceId === null || currentPeriod === null || money.current?.inFlight) return emptyPlan
  return {
    ...emptyPlan,
    ...withEvent('updated', {
      ...subscription,
      activation: null,
      currentPeriod: null,
      discounts: afterPeriodWithdrawn(subscription.discounts),
      accountedAt: at,
      pause: pause === null ? null : resumingNotBefore(pause, at),
    }),
    spans:
      status === 'paused' && activation?.purpose === 'start'
        ? []
        : unbilledSpans(subscription, invoiceId, at),
    voids: [invoiceId],
  }
}

function unbilledSpans(
  { status, currentPeriod }: Subscription,
  invoiceId: Id<'invoice'>,
  at: Date,
): SpanChange[] {
  const startAt = (currentPeriod as CurrentPeriod).startAt
  const freed: SpanChange = { action: 'free', invoiceId }
  if (status === 'paused')
    return [freed, { action: 'add', kind: 'paused', startAt, endAt: null, invoiceId: null }]
  if (startAt >= at) return [freed]
  return [freed, { action: 'add', kind: 'trial', startAt, endAt: at, invoiceId: null }]
}

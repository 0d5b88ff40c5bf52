/** How a subscription begins: its trial, the payment that it waits for, and what happens when none comes. */
import { addSeconds } from '../../../kernel/clock.ts'
import type { Id } from '../../../kernel/id.ts'
import { step } from '../../../kernel/machine.ts'
import { subscriptionMachine } from '../machine.ts'
import {
  type Activation,
  activationSeconds,
  type CurrentPeriod,
  type Decline,
  type Subscription,
} from '../subscription.ts'
import { noticesBefore } from './due.ts'
import { factsOf } from './facts.ts'
import { enter, firstPeriod, lengthOf, newPeriod } from './period.ts'
import {
  joined,
  type Moment,
  noMoney,
  nothing,
  type Plan,
  type Scene,
  type SpanChange,
  told,
} from './scene.ts'
import { ended, stopped } from './stop.ts'

/** The newborn. Its first charge runs when everything is written, so nobody waits for a provider. */
export function create(newborn: Subscription, moment: Moment): Plan {
  const { trial, activationPolicy, startedAt } = newborn
  if (trial !== null) {
    const after = { ...newborn, trialNotices: noticesBefore(startedAt, trial.endAt) }
    const { startAt, endAt } = trial
    const spans = [{ is: 'added', kind: 'trial', startAt, endAt, invoiceId: null }] as const
    return { ...nothing, ...told('created', after), spans }
  }
  // It becomes active by itself, a moment later: what is answered is always a newborn.
  if (activationPolicy === 'on_attempt') return { ...nothing, ...told('created', newborn) }
  const opened = openStart({ subscription: newborn, money: noMoney }, moment)
  return { ...opened, ...told('created', opened.steps.at(-1)?.after ?? newborn) }
}

/** Also the beginning of one that has no trial. */
export function endTrial(scene: Scene, moment: Moment): Plan {
  const { subscription } = scene
  const { at } = moment
  const row = step(subscriptionMachine, {
    state: subscription.status,
    trigger: 'trial_ended',
    facts: factsOf(scene),
  })
  if (row.to === 'cancelled') return ended(scene, moment, 'trial_ended')
  if (row.to === 'paused') {
    const reason = subscription.trial?.endBehaviour === 'pause' ? 'requested' : 'trial_without_payment_method'
    return stopped(scene, moment, { reason, ...untilAsked })
  }
  if (row.to === 'trialing') return openStart(scene, moment)
  // Nobody waits for it, so it is a period like any other: if it is not paid, it is dunned.
  const { entered, span, invoices, takesPending } = enter(scene, firstPeriod(subscription, at), moment, {
    reason: 'cycle',
    collect: 'now',
  })
  const after: Subscription = { ...subscription, ...entered, status: row.to }
  return { ...nothing, ...told('activated', after), spans: [span], invoices, takesPending }
}

const untilAsked = { resumesAt: null, openInvoices: 'continue', unusedTime: 'keep' } as const

function openStart(scene: Scene, moment: Moment): Plan {
  const { subscription } = scene
  const { entered, invoice, span, invoices, takesPending } = enter(
    scene,
    firstPeriod(subscription, moment.at),
    moment,
    { reason: 'start', collect: 'now' },
  )
  const after = {
    ...subscription,
    ...entered,
    activation: waiting('start', subscription, invoice.id, moment),
  }
  return { ...nothing, ...told('updated', after), spans: [span], invoices, takesPending }
}

/** A full period from now on, gated on its payment: until then it stays paused. */
export function openResumption(scene: Scene, moment: Moment): Plan {
  const { subscription } = scene
  const { interval, pause, anchor } = subscription
  const { entered, invoice, span, invoices, takesPending } = enter(
    scene,
    // Nothing was ever billed: it begins as it was wished for.
    anchor === null ? firstPeriod(subscription, moment.at) : newPeriod(subscription, interval, moment.at),
    moment,
    { reason: 'resume', collect: 'now' },
  )
  const after: Subscription = {
    ...{ ...subscription, ...entered },
    pause: pause === null ? null : { ...pause, resumesAt: null, remainingSeconds: 0 },
    activation: waiting('resume', subscription, invoice.id, moment),
  }
  const spans = [{ is: 'cut', at: moment.at }, span] as const
  return { ...nothing, ...told('updated', after), spans, invoices, takesPending }
}

function waiting(
  purpose: Activation['purpose'],
  { activationPolicy: policy }: Subscription,
  invoiceId: Activation['invoiceId'],
  { now }: Moment,
): Activation {
  // From the moment at which it can be paid: work that comes late must not take the time away.
  const expiresAt = addSeconds(now, activationSeconds)
  return { purpose, policy, state: 'pending', invoiceId, paymentId: null, expiresAt, lastDecline: null }
}

/** The payment that was waited for has come. */
export function activationPaid(scene: Scene): Plan {
  const { subscription } = scene
  const { activation, currentPeriod, pause } = subscription
  if (activation === null || currentPeriod === null) return nothing
  const row = step(subscriptionMachine, {
    state: subscription.status,
    trigger: 'paid',
    facts: factsOf(scene),
  })
  const done = { ...subscription, activation: { ...activation, state: 'done' as const, expiresAt: null } }
  if (row.effects.includes('keep_period') && pause !== null) {
    const remainingSeconds = lengthOf(currentPeriod)
    return { ...nothing, ...told('updated', { ...done, pause: { ...pause, remainingSeconds } }) }
  }
  const wasPaused = subscription.status === 'paused'
  const after: Subscription = { ...done, status: row.to, pause: null, accountedAt: currentPeriod.startAt }
  return { ...nothing, ...told(wasPaused ? 'resumed' : 'activated', after) }
}

/** It was tried in vain; somebody has to act. */
export function activationDeclined(
  scene: Scene,
  moment: Moment,
  failed: { readonly paymentId: Activation['paymentId']; readonly decline: Decline | null },
): Plan {
  const { subscription } = scene
  const { activation, status } = subscription
  if (activation === null) return nothing
  // It was paused while this payment was under way, and nothing came of it: there is nothing to keep.
  if (status === 'paused' && activation.purpose === 'start') return withdrawn(scene, moment)
  const lastDecline = failed.decline
  const state = 'requires_action' as const
  const after = {
    ...subscription,
    activation: { ...activation, state, paymentId: failed.paymentId, lastDecline },
  }
  return { ...nothing, ...told('activation_required', after) }
}

/** Nobody paid in time. The time that would have been billed was lived without being billed. */
export function expireActivation(scene: Scene, moment: Moment): Plan {
  const { subscription } = scene
  const row = step(subscriptionMachine, {
    state: subscription.status,
    trigger: 'activation_expired',
    facts: factsOf(scene),
  })
  const freed = withdrawn(scene, moment)
  const after = freed.steps.at(-1)?.after ?? subscription
  const expired: Plan = {
    ...freed,
    ...told('activation_expired', { ...after, activation: asExpired(subscription.activation) }),
  }
  if (row.to === 'paused' && subscription.status === 'paused') return expired
  const then = { subscription: expired.steps[0]?.after ?? after, money: noMoney }
  const rest =
    row.to === 'cancelled'
      ? ended(then, moment, 'activation_expired')
      : stopped(then, moment, { reason: 'payment_failure', ...untilAsked })
  return joined(expired, rest)
}

function asExpired(activation: Activation | null): Activation | null {
  return activation === null ? null : { ...activation, state: 'expired', expiresAt: null }
}

/** Its invoice is void, and the time since is what it was before: a trial, or a pause. */
export function withdrawn({ subscription, money }: Scene, { at }: Moment): Plan {
  const { activation, currentPeriod, status } = subscription
  const invoiceId = activation?.invoiceId ?? null
  if (invoiceId === null || currentPeriod === null || money.current?.inFlight) return nothing
  return {
    ...nothing,
    ...told('updated', { ...subscription, activation: null, currentPeriod: null, accountedAt: at }),
    spans:
      status === 'paused' && activation?.purpose === 'start' ? [] : unbilled(subscription, invoiceId, at),
    voids: [invoiceId],
  }
}

function unbilled({ status, currentPeriod }: Subscription, invoiceId: Id<'invoice'>, at: Date): SpanChange[] {
  const startAt = (currentPeriod as CurrentPeriod).startAt
  const freed: SpanChange = { is: 'freed', invoiceId }
  if (status === 'paused')
    return [freed, { is: 'added', kind: 'paused', startAt, endAt: null, invoiceId: null }]
  if (startAt >= at) return [freed]
  return [freed, { is: 'added', kind: 'trial', startAt, endAt: at, invoiceId: null }]
}

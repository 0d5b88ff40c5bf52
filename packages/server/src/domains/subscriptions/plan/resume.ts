/** The clock goes on. Time that was kept is lived to its end before anything is charged. */
import { anchorAt } from '../../../kernel/calendar.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { step } from '../../../kernel/machine.ts'
import { subscriptionMachine } from '../machine.ts'
import type { CurrentPeriod, Pause, Subscription, Trial } from '../subscription.ts'
import { noticesBefore } from './due.ts'
import { factsOf } from './facts.ts'
import { lengthOf, nextEpoch } from './period.ts'
import { type Moment, nothing, type Plan, type Scene, sceneAfter, told } from './scene.ts'
import { openResumption } from './start.ts'

export type ResumeWish = { readonly openInvoices: 'collect' | 'keep' | 'void' }

export function resume(scene: Scene, moment: Moment, { openInvoices }: ResumeWish): Plan {
  const { subscription, money } = scene
  const voids = openInvoices === 'void' ? money.open : []
  // What is forgiven is not owed any more, and its time is not kept.
  const relieved = sceneAfter(withoutVoided(scene, voids), { ...nothing, voids })
  const row = step(subscriptionMachine, {
    state: subscription.status,
    trigger: 'resume',
    facts: factsOf(relieved),
  })
  if (subscription.status !== 'paused') return dropScheduledPause(subscription)
  const effect = row.effects[0]
  const plan =
    effect === 'collect_overdue'
      ? collectFirst(relieved)
      : effect === 'open_activation'
        ? openOnce(relieved, moment)
        : goOn(relieved.subscription, moment)
  return { ...plan, voids, collection: openInvoices === 'collect' ? 'release' : null }
}

function withoutVoided(scene: Scene, voids: Plan['voids']): Scene {
  const { subscription } = scene
  const { pause, currentPeriod } = subscription
  if (pause === null || currentPeriod === null || !voids.includes(currentPeriod.invoiceId)) return scene
  return {
    ...scene,
    subscription: { ...subscription, currentPeriod: null, pause: { ...pause, remainingSeconds: 0 } },
  }
}

function dropScheduledPause(subscription: Subscription): Plan {
  if (subscription.scheduledChange?.action !== 'pause') return nothing
  return { ...nothing, ...told('updated', { ...subscription, scheduledChange: null }) }
}

/** It takes effect when the last of what is overdue is paid, which is tried now. */
function collectFirst({ subscription, money }: Scene): Plan {
  const pause = subscription.pause as Pause
  const moved = { ...subscription, pause: { ...pause, resumesAt: null } }
  return { ...nothing, attempts: money.overdue, ...(pause.resumesAt === null ? {} : told('updated', moved)) }
}

/** Whoever asks twice waits for the same payment. */
function openOnce(scene: Scene, moment: Moment): Plan {
  const { activation, currentPeriod } = scene.subscription
  const isOpen = activation?.state === 'pending' || activation?.state === 'requires_action'
  return isOpen && currentPeriod !== null ? nothing : openResumption(scene, moment)
}

/** The same period, or the same trial, ends as much later as the clock stood still. */
function goOn(subscription: Subscription, { at }: Moment): Plan {
  const { remainingSeconds } = subscription.pause as Pause
  const endAt = addSeconds(at, remainingSeconds)
  const running = { ...subscription, pause: null, accountedAt: at }
  const period = subscription.currentPeriod
  const after: Subscription =
    period === null
      ? { ...running, status: 'trialing', ...movedTrial(subscription, at, endAt) }
      : { ...running, status: 'active', ...movedPeriod(subscription, period, endAt) }
  const kind = period === null ? 'trial' : 'cycle'
  const invoiceId = period?.invoiceId ?? null
  const spans = [
    { is: 'cut', at },
    { is: 'added', kind, startAt: at, endAt, invoiceId },
  ] as const
  return { ...nothing, ...told('resumed', after), spans }
}

function movedTrial({ trial }: Subscription, at: Date, endAt: Date) {
  return { trial: { ...(trial as Trial), endAt }, trialNotices: noticesBefore(at, endAt) }
}

/** Its length stays what it was: a change of items is still a part of a whole interval. */
function movedPeriod({ anchor, anchorWish, activation }: Subscription, period: CurrentPeriod, endAt: Date) {
  const timeZone = anchor?.timeZone ?? anchorWish.timeZone
  return {
    anchor: anchorAt(endAt, timeZone, nextEpoch(anchor)),
    currentPeriod: { ...period, endAt, nominalStartAt: addSeconds(endAt, -lengthOf(period)) },
    activation: activation === null ? null : { ...activation, state: 'done' as const, expiresAt: null },
  }
}

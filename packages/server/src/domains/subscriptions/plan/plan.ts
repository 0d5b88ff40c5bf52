/**
 * Every change of a subscription, computed. Previews show what this gives, commands and workers store it. A
 * command first does all that is due, so its result never depends on how late a worker is.
 */
import { unreachable } from '../../../kernel/assert.ts'
import type { Id } from '../../../kernel/id.ts'
import { step } from '../../../kernel/machine.ts'
import { type Facts, subscriptionMachine } from '../machine.ts'
import { type Activation, type CollectionStatus, type Decline, isActivating } from '../subscription.ts'
import { advance, catchUp } from './advance.ts'
import { type Command, command } from './commands.ts'
import { nextDue } from './due.ts'
import { factsOf } from './facts.ts'
import { resume } from './resume.ts'
import { joined, type Moment, nothing, type Plan, type Scene, sceneAfter, told } from './scene.ts'
import { activationDeclined, activationPaid, expireActivation } from './start.ts'
import { ended, stopped } from './stop.ts'

/** What the world says: of money, and of those who collect it. */
export type News =
  | { readonly is: 'paid' }
  | {
      readonly is: 'declined'
      readonly paymentId: Activation['paymentId']
      readonly decline: Decline | null
    }
  /** It was cancelled before its first payment came. */
  | { readonly is: 'paid_too_late'; readonly invoiceId: Id<'invoice'>; readonly amount: bigint }
  /** Nobody can pay it any more. */
  | { readonly is: 'activation_voided' }
  | { readonly is: 'overdue_settled' }
  | { readonly is: 'dunning_exhausted'; readonly finalAction: Facts['finalAction'] }
  | { readonly is: 'collection'; readonly status: CollectionStatus }
  | { readonly is: 'unparked' }

/** Does what is due, then what is asked for, at `moment.at`. */
export function planCommand(scene: Scene, asked: Command, moment: Moment): Plan {
  const due = catchUp(scene, moment.at, moment.draw)
  const then = sceneAfter(scene, due)
  return withNextAction(scene, joined(due, command(then, moment, asked)))
}

/** The next thing that is due by `now`, and no more: each has a commit of its own. */
export function planAdvance(scene: Scene, moment: Moment): Plan {
  return withNextAction(scene, advance(scene, moment.now, moment.draw))
}

export function planNews(scene: Scene, news: News, moment: Moment): Plan {
  // What stops or starts the clock comes after all that was due before it. Of money it is heard first.
  const due = movesClock.has(news.is) ? catchUp(scene, moment.at, moment.draw) : nothing
  return withNextAction(scene, joined(due, hear(sceneAfter(scene, due), news, moment)))
}

const movesClock = new Set<News['is']>(['activation_voided', 'overdue_settled', 'dunning_exhausted'])

function hear(scene: Scene, news: News, moment: Moment): Plan {
  switch (news.is) {
    case 'paid':
    case 'declined':
    case 'activation_voided':
      return hearOfActivation(scene, news, moment)
    case 'paid_too_late':
      return { ...nothing, refund: { invoiceId: news.invoiceId, amount: news.amount } }
    case 'overdue_settled':
      return settledAll(scene, moment)
    case 'dunning_exhausted':
      return exhausted(scene, moment, news.finalAction)
    case 'collection':
      return collectionTold(scene, news.status)
    case 'unparked':
      return unparked(scene, moment)
    default:
      return unreachable(news)
  }
}

type OfActivation = Extract<News, { is: 'paid' | 'declined' | 'activation_voided' }>

/** The payment that it waits for. Whoever waits no more has nothing to hear. */
function hearOfActivation(scene: Scene, news: OfActivation, moment: Moment): Plan {
  const { subscription } = scene
  if (!isActivating(subscription) || subscription.status === 'cancelled') return nothing
  if (news.is === 'paid') return activationPaid(scene)
  return news.is === 'declined' ? activationDeclined(scene, moment, news) : expireActivation(scene, moment)
}

/** It was paused because it was not paid; now it is. */
function settledAll(scene: Scene, moment: Moment): Plan {
  const { pause } = scene.subscription
  if (pause?.reason !== 'payment_failure' || scene.money.overdue.length > 0) return nothing
  return resume(scene, moment, { openInvoices: 'keep' })
}

function unparked({ subscription }: Scene, { now }: Moment): Plan {
  if (subscription.parked === null) return nothing
  return { ...nothing, ...told('unparked', { ...subscription, parked: null, unparkedAt: now }) }
}

/** Collecting was given up; what the policy says happens now. */
function exhausted(scene: Scene, moment: Moment, finalAction: Facts['finalAction']): Plan {
  const { status } = scene.subscription
  if (status !== 'active' && status !== 'paused') return nothing
  const facts = factsOf(scene, finalAction)
  const row = step(subscriptionMachine, { state: status, trigger: 'dunning_exhausted', facts })
  if (row.to === 'cancelled') return ended(scene, moment, 'payment_failure')
  if (row.to === 'active' || status === 'paused') return nothing
  return stopped(scene, moment, {
    ...{ reason: 'payment_failure', resumesAt: null, openInvoices: 'continue', unusedTime: 'keep' },
  })
}

const tellingOf = { current: 'recovered', past_due: 'past_due', unpaid: 'unpaid' } as const

function collectionTold({ subscription }: Scene, status: CollectionStatus): Plan {
  if (subscription.collectionStatus === status) return nothing
  // With nothing overdue there is nothing left for a campaign to say.
  const dunning = status === 'current' ? null : subscription.dunning
  return { ...nothing, ...told(tellingOf[status], { ...subscription, dunning, collectionStatus: status }) }
}

/** One column says when to look again; it is computed from how things stand in the end. */
export function withNextAction(scene: Scene, plan: Plan): Plan {
  const end = sceneAfter(scene, plan)
  const nextActionAt = nextDue(end)?.at ?? null
  return {
    ...plan,
    steps: plan.steps.map(({ telling, after }) => ({ telling, after: { ...after, nextActionAt } })),
  }
}

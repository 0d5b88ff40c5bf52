/**
 * Plans every change of a subscription. Previews show the plan; commands and workers store it. A command
 * first applies due actions, so that its result does not depend on how late a worker is.
 */
import { unreachable } from '../../../../kernel/assert.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { type Facts, subscriptionMachine } from '../machine.ts'
import { type Activation, type CollectionStatus, type Decline, isActivating } from '../subscription.ts'
import { planAllDue, planDueAction } from './advance.ts'
import { applyCommand, type Command } from './commands.ts'
import { nextDue } from './due.ts'
import { factsOf } from './facts.ts'
import { planResume } from './resume.ts'
import {
  concatPlans,
  emptyPlan,
  type Plan,
  type PlanContext,
  type Snapshot,
  snapshotAfter,
  withEvent,
} from './snapshot.ts'
import { activationDeclined, activationPaid, expireActivation } from './start.ts'
import { planCancellation, planPause } from './stop.ts'

/** External events: results of payments, of dunning and of manual review. */
export type ExternalEvent =
  | { readonly kind: 'paid' }
  | {
      readonly kind: 'declined'
      readonly paymentId: Activation['paymentId']
      readonly decline: Decline | null
    }
  /** The activation invoice can no longer be paid. */
  | { readonly kind: 'activation_voided' }
  | { readonly kind: 'overdue_settled' }
  | { readonly kind: 'dunning_exhausted'; readonly finalAction: Facts['finalAction'] }
  | { readonly kind: 'collection'; readonly status: CollectionStatus }
  | { readonly kind: 'unparked' }

/** Plans the actions that are due, and then the command at `context.at`. */
export function planCommand(snapshot: Snapshot, command: Command, context: PlanContext): Plan {
  const due = planAllDue(snapshot, context.at, context.ids)
  const afterDue = snapshotAfter(snapshot, due)
  return withNextAction(snapshot, concatPlans(due, applyCommand(afterDue, context, command)))
}

/** Plans only the next action that is due, because each action is committed separately. */
export function planAdvance(snapshot: Snapshot, context: PlanContext): Plan {
  return withNextAction(snapshot, planDueAction(snapshot, context.now, context.ids))
}

export function planExternalEvent(snapshot: Snapshot, event: ExternalEvent, context: PlanContext): Plan {
  // Events that stop or restart billing are applied after all due actions. Payment results are
  // applied before them.
  const due = afterDueActions.has(event.kind) ? planAllDue(snapshot, context.at, context.ids) : emptyPlan
  return withNextAction(
    snapshot,
    concatPlans(due, applyExternalEvent(snapshotAfter(snapshot, due), event, context)),
  )
}

const afterDueActions = new Set<ExternalEvent['kind']>([
  'activation_voided',
  'overdue_settled',
  'dunning_exhausted',
])

function applyExternalEvent(snapshot: Snapshot, event: ExternalEvent, context: PlanContext): Plan {
  switch (event.kind) {
    case 'paid':
    case 'declined':
    case 'activation_voided':
      return applyActivationResult(snapshot, event, context)
    case 'overdue_settled':
      return resumeIfNothingOverdue(snapshot, context)
    case 'dunning_exhausted':
      return applyFinalAction(snapshot, context, event.finalAction)
    case 'collection':
      return planCollectionStatus(snapshot, event.status)
    case 'unparked':
      return planUnparking(snapshot, context)
    default:
      return unreachable(event)
  }
}

type ActivationResult = Extract<ExternalEvent, { kind: 'paid' | 'declined' | 'activation_voided' }>

/** Applies the result of the activation payment. Ignored if the subscription no longer waits for it. */
function applyActivationResult(snapshot: Snapshot, event: ActivationResult, context: PlanContext): Plan {
  const { subscription } = snapshot
  if (!isActivating(subscription) || subscription.status === 'cancelled') return emptyPlan
  if (event.kind === 'paid') return activationPaid(snapshot, context)
  return event.kind === 'declined'
    ? activationDeclined(snapshot, context, event)
    : expireActivation(snapshot, context)
}

/** Resumes a subscription that was paused for non-payment, once every overdue invoice is paid. */
function resumeIfNothingOverdue(snapshot: Snapshot, context: PlanContext): Plan {
  const { pause } = snapshot.subscription
  if (pause?.reason !== 'payment_failure' || snapshot.money.overdue.length > 0) return emptyPlan
  return planResume(snapshot, context, { openInvoices: 'keep' })
}

function planUnparking({ subscription }: Snapshot, { now }: PlanContext): Plan {
  if (subscription.parked === null) return emptyPlan
  return { ...emptyPlan, ...withEvent('unparked', { ...subscription, parked: null, unparkedAt: now }) }
}

/** Applies the final action of the dunning policy after every retry has failed. */
function applyFinalAction(snapshot: Snapshot, context: PlanContext, finalAction: Facts['finalAction']): Plan {
  const { status } = snapshot.subscription
  if (status !== 'active' && status !== 'paused') return emptyPlan
  const facts = factsOf(snapshot, finalAction)
  const row = nextTransition(subscriptionMachine, { state: status, trigger: 'dunning_exhausted', facts })
  if (row.to === 'cancelled') return planCancellation(snapshot, context, 'payment_failure')
  if (row.to === 'active' || status === 'paused') return emptyPlan
  return planPause(snapshot, context, {
    reason: 'payment_failure',
    resumesAt: null,
    openInvoices: 'continue',
    unusedTime: 'keep',
  })
}

const eventByStatus = { current: 'recovered', past_due: 'past_due', unpaid: 'unpaid' } as const

function planCollectionStatus({ subscription }: Snapshot, status: CollectionStatus): Plan {
  if (subscription.collectionStatus === status) return emptyPlan
  // With nothing overdue, the dunning state is cleared.
  const dunning = status === 'current' ? null : subscription.dunning
  return {
    ...emptyPlan,
    ...withEvent(eventByStatus[status], { ...subscription, dunning, collectionStatus: status }),
  }
}

/** Computes the next due time from the final state of the plan. */
export function withNextAction(snapshot: Snapshot, plan: Plan): Plan {
  const end = snapshotAfter(snapshot, plan)
  const nextActionAt = nextDue(end)?.at ?? null
  return {
    ...plan,
    steps: plan.steps.map(({ event, after }) => ({ event, after: { ...after, nextActionAt } })),
  }
}

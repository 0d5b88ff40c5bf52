/** Moves a payment by what became of an operation, and tells of it. With `orders`, the only writer of its status. */
import { assert } from '../../../kernel/assert.ts'
import { step } from '../../../kernel/machine.ts'
import type { EventDefinition } from '../../../platform/db/events.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { failureOf, type Learned, type PaymentMove } from '../decide.ts'
import * as events from '../events.ts'
import { actionEndsAt, dueAtOf, holdEndsAt, isShortHold } from '../expiry.ts'
import { factsOf, type PaymentTrigger, paymentMachine } from '../machine.ts'
import type { Operation, Payment } from '../payment.ts'
import * as store from '../store/payments.ts'
import type { Seen } from './record.ts'
import { needReview, tell, unresolve } from './tell.ts'
import { methodOf } from './verified.ts'
import { declineIn } from './write.ts'

/** Which event tells of a move, by where it led. */
const toldBy: Readonly<Record<string, EventDefinition<Payment>>> = {
  succeeded: events.paymentSucceeded,
  failed: events.paymentFailed,
  cancelled: events.paymentCancelled,
  requires_action: events.paymentRequiresAction,
  processing: events.paymentUpdated,
}

/** Nothing is held by a verification, and what did not happen has nothing of its own to tell. */
function eventOf({ on }: PaymentMove, to: Payment['status']): EventDefinition<Payment> {
  if (on === 'capture_failed' || on === 'void_failed') return events.paymentUpdated
  if (on === 'authorized' && to === 'requires_capture') return events.paymentAuthorized
  return toldBy[to] ?? events.paymentCaptured
}

export async function move(
  tx: Tx,
  before: Payment,
  operation: Operation,
  { move, seen }: { move: PaymentMove; seen: Seen },
): Promise<Payment> {
  if (move.on === 'nothing') return before
  if (move.on === 'unresolved') return unresolve(tx, before)
  if (move.on === 'needs_review') return needReview(tx, before, operation, seen)
  // They only say again what the payer was asked for.
  if (move.on === 'action_required' && before.status === 'requires_action') return before
  const row = step(paymentMachine, {
    state: before.status,
    trigger: move.on satisfies PaymentTrigger,
    facts: factsOf(before, operation.final || operation.amount >= before.amountCapturable),
  })
  const moved = {
    status: row.to,
    ...(await methodOf(tx, before, { operation, seen, to: row.to })),
    ...amountsAfter(before, operation, row.effects),
    ...learnedOf(seen.learned, operation),
    ...heldUntil(seen.learned, row.effects, tx.now),
    ...undoneBy(move, seen),
    // What a person had to look at is known now; a conflict stays until a person ends it.
    review: before.review === 'conflict' ? before.review : null,
    nextAction: nextActionOf(seen, row.to, tx.now),
    failure: move.on === 'attempt_failed' && row.to === 'failed' ? move.failure : null,
  }
  const changes = { ...moved, dueAt: dueAtOf({ ...before, ...moved }, tx.now) }
  const after = await tell(tx, before, changes, eventOf(move, row.to))
  if (row.to === 'failed' || row.to === 'cancelled') await store.releaseOrder(tx, after)
  return after
}

/** What is held could not be captured or let go, so it stays as it was. A cancellation has ended with that. */
function undoneBy({ on }: PaymentMove, { learned }: Seen): store.PaymentChanges {
  if (on !== 'capture_failed' && on !== 'void_failed') return { lastError: null }
  const lastError = failureOf(declineIn(learned))
  return on === 'void_failed' ? { lastError, cancelRequestedAt: null } : { lastError }
}

function amountsAfter(payment: Payment, operation: Operation, effects: readonly string[]) {
  if (effects.includes('hold')) return { amountCapturable: operation.amount }
  if (effects.includes('let_go')) return { amountCapturable: 0n }
  if (!effects.includes('take')) return {}
  const left = operation.kind === 'capture' ? payment.amountCapturable - operation.amount : 0n
  return {
    amountCaptured: payment.amountCaptured + operation.amount,
    amountCapturable: operation.final ? 0n : left,
  }
}

function learnedOf(learned: Learned, operation: Operation): store.PaymentChanges {
  if (learned.is !== 'succeeded') return {}
  const { extra = {} } = learned
  return {
    providerAccountId: operation.providerAccountId,
    providerReference: learned.ref,
    ...(extra.networkTransactionId === undefined ? {} : { networkTransactionId: extra.networkTransactionId }),
  }
}

function heldUntil(learned: Learned, effects: readonly string[], now: Date): store.PaymentChanges {
  if (!effects.includes('hold') || learned.is !== 'succeeded') return {}
  const captureBeforeAt = holdEndsAt(learned.extra?.captureBeforeAt, now)
  return { captureBeforeAt, expiringTold: isShortHold(captureBeforeAt, now) }
}

function nextActionOf(
  { learned, payerAddress }: Seen,
  status: Payment['status'],
  now: Date,
): Payment['nextAction'] {
  if (status !== 'requires_action' || learned.is !== 'action') return null
  assert(payerAddress !== undefined, 'Whoever hears that a payer has to act knows our address for it.')
  return {
    type: 'redirect',
    url: payerAddress,
    expires_at: actionEndsAt(learned.expiresAt, now).toISOString(),
    target: learned.action.url,
  }
}

/** Writes what was learned about an operation, and says what follows. The only writer of a payment's status. */
import { assert } from '../../../kernel/assert.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import type { Id } from '../../../kernel/id.ts'
import { step } from '../../../kernel/machine.ts'
import type { EventDefinition } from '../../../platform/db/events.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { findPaymentMethod, type PaymentMethod } from '../../payment-methods/service.ts'
import {
  type Decision,
  decideAuthorization,
  decideOnHeld,
  decideRefund,
  failureOf,
  type Learned,
  type PaymentMove,
} from '../decide.ts'
import * as events from '../events.ts'
import { actionEndsAt, dueAtOf, holdEndsAt } from '../expiry.ts'
import { type PaymentTrigger, paymentMachine } from '../machine.ts'
import { type Attempt, isOpen, type Operation, type Payment, type Refund } from '../payment.ts'
import { isTooOld } from '../resolving.ts'
import { maxAttempts } from '../route.ts'
import * as operations from '../store/operations.ts'
import * as store from '../store/payments.ts'
import * as refunds from '../store/refunds.ts'
import { compareWithBooks } from './conflict.ts'
import { startAttempt } from './intend.ts'
import { endUnresolved, needReview, tell, unresolve } from './tell.ts'
import { methodOf } from './verified.ts'

export type Seen = {
  readonly learned: Learned
  readonly differs: boolean
  readonly requestHash?: Buffer | undefined
  /** Whether it was asked about rather than sent: the next question comes later each time. */
  readonly checked?: boolean
  /** Where a payer who has to act is sent to. */
  readonly payerAddress?: string
  /** What the provider calls a card that it verified. */
  readonly sealedToken?: Buffer
}

/** How far a payment has come, and the operation that is to be sent next, if any is. */
export type Progress = {
  /** What the request is about: the payment, or its refund. */
  readonly id: Id<'payment'> | Id<'refund'>
  readonly payment: Payment
  readonly next: Operation | null
  /** The refund that it was about, if it was. */
  readonly refund?: Refund
  /** The payment method that came of a verification. */
  readonly method?: PaymentMethod
}

export async function record(
  tx: Tx,
  paymentId: Id<'payment'>,
  operationId: Id<'operation'>,
  seen: Seen,
): Promise<Progress> {
  const payment = await store.lockPayment(tx, paymentId)
  const operation = (await operations.listOperations(tx, paymentId)).find(({ id }) => id === operationId)
  if (operation === undefined) return standing(tx, payment)
  // Final is final: a late word is compared, and overwrites nothing.
  if (!isOpen(operation)) return standing(tx, await compareWithBooks(tx, payment, operation, seen))

  if (operation.refundId !== null) return recordRefund(tx, { payment, operation, seen })
  const attempts = await operations.listAttempts(tx, paymentId)
  const attempt = attempts.find(({ id }) => id === operation.attemptId) as Attempt
  const decision = withPatience(decide({ payment, attempt, operation, attempts, seen }), operation, tx.now)
  await writeOperation(tx, operation, decision, seen)
  await writeAttempt(tx, attempt, decision, seen)
  const known = await endUnresolved(tx, payment, decision)
  if (decision.cascade) {
    const tried = attempts.map(({ providerAccountId }) => providerAccountId)
    const next = await startAttempt(tx, known, tried)
    if (next !== null) return next
  }
  return standing(tx, await move(tx, known, operation, { move: moveOf(decision, seen), seen }))
}

/** How far it has come, with nothing to send. */
export async function standing(tx: Tx, payment: Payment): Promise<Progress> {
  const { id, paymentMethodId, purpose } = payment
  if (purpose !== 'verification' || paymentMethodId === null) return { id, payment, next: null }
  return { id, payment, next: null, method: await findPaymentMethod(tx, paymentMethodId) }
}

async function recordRefund(
  tx: Tx,
  { payment, operation, seen }: { payment: Payment; operation: Operation; seen: Seen },
): Promise<Progress> {
  const before = await refunds.refundOf(tx, payment.id, operation.refundId as Id<'refund'>)
  const decision = decideRefund({ learned: seen.learned, differs: seen.differs, operation })
  await writeOperation(tx, operation, decision, seen)
  const { status } = decision.operation
  if (isOpen({ status })) {
    const unresolvedSinceAt = status === 'unknown' ? (before.unresolvedSinceAt ?? tx.now) : null
    const refund = await refunds.updateRefund(tx, before, { unresolvedSinceAt }, false)
    return { id: refund.id, payment, next: null, refund }
  }
  const succeeded = status === 'succeeded'
  const refund = await refunds.updateRefund(
    tx,
    before,
    {
      status: succeeded ? 'succeeded' : 'failed',
      unresolvedSinceAt: null,
      ...(seen.learned.is === 'succeeded' ? { providerReference: seen.learned.ref } : {}),
      ...(succeeded ? {} : { failure: failureOf(declineOfLearned(seen.learned)) }),
    },
    true,
  )
  tx.emit(succeeded ? events.refundSucceeded : events.refundFailed, { before, after: refund })
  const after = await tell(
    tx,
    payment,
    {
      amountRefunding: payment.amountRefunding - operation.amount,
      amountRefunded: payment.amountRefunded + (succeeded ? operation.amount : 0n),
    },
    events.paymentUpdated,
  )
  return { id: refund.id, payment: after, next: null, refund }
}

const declineOfLearned = (learned: Learned) =>
  learned.is === 'declined' ? learned.decline : { code: 'provider_error' }

function decide({
  payment,
  attempt,
  operation,
  attempts,
  seen,
}: {
  payment: Payment
  attempt: Attempt
  operation: Operation
  attempts: readonly Attempt[]
  seen: Seen
}): Decision {
  const facts = {
    payment,
    attempt,
    operation,
    learned: seen.learned,
    differs: seen.differs,
    anotherAccount: attempts.length < maxAttempts,
    softCascaded: attempts.some(({ id, status }) => id !== attempt.id && status === 'declined'),
  }
  const isAuthorization = operation.kind === 'authorize' || operation.kind === 'verify'
  return isAuthorization ? decideAuthorization(facts) : decideOnHeld(facts)
}

/** A provider that has said nothing of use for a week is asked by a person. */
function withPatience(decision: Decision, operation: Operation, now: Date): Decision {
  const { status } = decision.operation
  if ((status !== 'unknown' && status !== 'pending') || !isTooOld(operation, now)) return decision
  return {
    ...decision,
    operation: { status: 'needs_review', checkInSeconds: null },
    payment: { on: 'needs_review' },
  }
}

/** The route may have no account left though it would allow one: then the failure is the payment's. */
function moveOf({ cascade, payment }: Decision, { learned }: Seen): PaymentMove {
  if (!cascade) return payment
  return { on: 'attempt_failed', failure: failureOf(declineOfLearned(learned)) }
}

async function writeOperation(tx: Tx, operation: Operation, decision: Decision, seen: Seen): Promise<void> {
  const { learned, requestHash, checked = false } = seen
  const { status, checkInSeconds } = decision.operation
  await operations.updateOperation(tx, operation, {
    status,
    ...('ref' in learned && learned.ref !== undefined ? { providerReference: learned.ref } : {}),
    ...(requestHash === undefined ? {} : { requestHash }),
    ...('fault' in learned ? { fault: learned.fault } : {}),
    ...(learned.is === 'declined' ? { decline: learned.decline } : {}),
    ...(status === 'awaiting_customer' ? { challenged: true } : {}),
    checks: operation.checks + (checked ? 1 : 0),
    dueAt: checkInSeconds === null ? null : addSeconds(tx.now, checkInSeconds),
  })
}

async function writeAttempt(tx: Tx, before: Attempt, decision: Decision, { learned }: Seen): Promise<void> {
  const status = decision.attempt
  if (status === null || status === before.status) return
  const told = status === 'declined' || status === 'failed'
  const after = await operations.updateAttempt(tx, before, {
    status,
    told,
    ...('ref' in learned && learned.ref !== undefined ? { providerReference: learned.ref } : {}),
    ...(learned.is === 'declined' ? { decline: learned.decline } : {}),
  })
  if (told) tx.emit(status === 'declined' ? events.attemptDeclined : events.attemptFailed, { after })
}

/** Which event tells of a move, by where it led. */
const toldBy: Readonly<Record<string, EventDefinition<Payment>>> = {
  succeeded: events.paymentSucceeded,
  failed: events.paymentFailed,
  cancelled: events.paymentCancelled,
  requires_action: events.paymentRequiresAction,
  processing: events.paymentUpdated,
}

/** Nothing is held by a verification. */
function eventOf({ on }: PaymentMove, to: Payment['status']): EventDefinition<Payment> {
  if (on === 'authorized' && to === 'requires_capture') return events.paymentAuthorized
  return toldBy[to] ?? events.paymentCaptured
}

async function move(
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
    facts: {
      isVerification: before.purpose === 'verification',
      allTaken: operation.final || operation.amount >= before.amountCapturable,
      cancelAsked: before.cancelRequestedAt !== null,
    },
  })
  const moved = {
    status: row.to,
    ...(row.to === 'succeeded' ? await methodOf(tx, before, operation, seen) : {}),
    ...amountsAfter(before, operation, row.effects),
    ...learnedOf(seen.learned, operation),
    ...heldUntil(seen.learned, row.effects, tx.now),
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
  return { captureBeforeAt: holdEndsAt(learned.extra?.captureBeforeAt, now) }
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

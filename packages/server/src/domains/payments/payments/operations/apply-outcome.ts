/** Moves a payment to the status that follows from the result of an operation, and emits the event. */
import { assert } from '../../../../kernel/assert.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import type { EventDefinition } from '../../../../platform/db/events.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { isDebit } from '../../../../providers/contract.ts'
import { postAct } from '../../../finance/ledger/service/post.ts'
import * as events from '../events.ts'
import { factsOf, type PaymentTrigger, paymentMachine } from '../machine.ts'
import { callOf, type Observation } from '../observation.ts'
import type { Operation, Payment } from '../payment.ts'
import { failureOf, type OperationResult, type PaymentMove } from '../rules/decide.ts'
import { actionExpiresAt, authorizationExpiresAt, dueAtOf, isTooShortToWarn } from '../rules/expiry.ts'
import * as store from '../store/payments.ts'
import { markSubmitted } from './mark-submitted.ts'
import { saveApprovedCard } from './save-card.ts'
import { failPendingCredential } from './save-credential.ts'
import { flagForReview, markUnresolved, updateAndEmit } from './update-and-emit.ts'
import { declineOfResult } from './write-result.ts'

/** The event to emit, by the new status of the payment. */
const eventByStatus: Readonly<Record<string, EventDefinition<Payment>>> = {
  succeeded: events.paymentSucceeded,
  failed: events.paymentFailed,
  cancelled: events.paymentCancelled,
  requires_action: events.paymentRequiresAction,
  processing: events.paymentUpdated,
}

/** A verification emits no `payment.authorized`, and a failed capture or void emits `payment.updated`. */
function eventOf({ on }: PaymentMove, to: Payment['status']): EventDefinition<Payment> {
  if (on === 'capture_failed' || on === 'void_failed') return events.paymentUpdated
  if (on === 'authorized' && to === 'requires_capture') return events.paymentAuthorized
  return eventByStatus[to] ?? events.paymentCaptured
}

export async function applyOutcome(
  tx: Tx,
  before: Payment,
  operation: Operation,
  { move, observation }: { move: PaymentMove; observation: Observation },
): Promise<Payment> {
  if (move.on === 'nothing') return before
  if (move.on === 'unresolved') return markUnresolved(tx, before)
  if (move.on === 'needs_review') return flagForReview(tx, before, operation, observation)
  if (move.on === 'submitted') return markSubmitted(tx, before, operation, move.settlesAt)
  // The provider reports again that the payer must authenticate.
  if (move.on === 'action_required' && before.status === 'requires_action') return before
  const transition = nextTransition(paymentMachine, {
    state: before.status,
    trigger: move.on satisfies PaymentTrigger,
    facts: factsOf(before, operation.final || operation.amount >= before.amountCapturable),
  })
  const newFields = {
    status: transition.to,
    ...(await saveApprovedCard(tx, before, { operation, observation, to: transition.to })),
    ...amountsAfter(before, operation, transition),
    ...settlementAfter(before, transition.to, tx.now),
    ...providerFields(observation.result, operation),
    ...expiryFields(observation.result, transition.effects, tx.now),
    ...errorFields(move, observation),
    // The result ends a review of this operation. A conflict stays until it is resolved.
    review: before.review === 'conflict' ? before.review : null,
    nextAction: nextActionOf(observation, transition.to, tx.now),
    failure: move.on === 'attempt_failed' && transition.to === 'failed' ? move.failure : null,
  }
  const changes = { ...newFields, dueAt: dueAtOf({ ...before, ...newFields }, tx.now) }
  const after = updateAndEmit(tx, before, changes, eventOf(move, transition.to))
  if (transition.effects.includes('capture'))
    postAct(tx, {
      act: 'payment_captured',
      operationId: operation.id,
      paymentId: after.id,
      providerAccountId: operation.providerAccountId,
      currency: after.currency,
      amount: operation.amount,
      isUnapplied: isUnapplied(before, transition.to),
    })
  await releaseIfUncharged(tx, after)
  return after
}

async function releaseIfUncharged(tx: Tx, payment: Payment): Promise<void> {
  if (payment.status !== 'failed' && payment.status !== 'cancelled') return
  await store.releaseOrder(tx, payment)
  await failPendingCredential(tx, payment)
}

/** A debit is settled when it is captured. One that has failed was never settled. */
function settlementAfter(
  { methodType, settlement }: Payment,
  to: Payment['status'],
  now: Date,
): Pick<store.PaymentChanges, 'settlement'> {
  if (!isDebit(methodType)) return {}
  if (to !== 'succeeded') return { settlement: null }
  return { settlement: { status: 'settled', expectedAt: settlement?.expectedAt ?? null, settledAt: now } }
}

/** The capture or void failed, so the authorization stays. A failed void also ends the cancellation. */
function errorFields({ on }: PaymentMove, { result }: Observation): store.PaymentChanges {
  if (on !== 'capture_failed' && on !== 'void_failed') return { lastError: null }
  const lastError = failureOf(declineOfResult(result))
  return on === 'void_failed' ? { lastError, cancelRequestedAt: null } : { lastError }
}

/**
 * A payment for an invoice is applied to it later. A capture that succeeds after cancellation was requested is
 * refunded.
 */
function isUnapplied({ invoiceId, cancelRequestedAt }: Payment, to: Payment['status']): boolean {
  return invoiceId !== null || (cancelRequestedAt !== null && to === 'succeeded')
}

type AppliedTransition = { readonly to: Payment['status']; readonly effects: readonly string[] }

function amountsAfter(payment: Payment, operation: Operation, { to, effects }: AppliedTransition) {
  if (effects.includes('authorize')) return { amountCapturable: operation.amount }
  if (effects.includes('void')) return { amountCapturable: 0n }
  if (!effects.includes('capture')) return {}
  const left = operation.kind === 'capture' ? payment.amountCapturable - operation.amount : 0n
  return {
    amountCaptured: payment.amountCaptured + operation.amount,
    ...(isUnapplied(payment, to) ? { amountUnapplied: payment.amountUnapplied + operation.amount } : {}),
    amountCapturable: operation.final ? 0n : left,
  }
}

function providerFields(result: OperationResult, operation: Operation): store.PaymentChanges {
  if (result.is !== 'succeeded') return {}
  const { extra = {} } = result
  return {
    providerAccountId: operation.providerAccountId,
    providerReference: result.ref,
    ...(extra.networkTransactionId === undefined ? {} : { networkTransactionId: extra.networkTransactionId }),
  }
}

function expiryFields(result: OperationResult, effects: readonly string[], now: Date): store.PaymentChanges {
  if (!effects.includes('authorize') || result.is !== 'succeeded') return {}
  const captureBeforeAt = authorizationExpiresAt(result.extra?.captureBeforeAt, now)
  return { captureBeforeAt, expiryWarningDone: isTooShortToWarn(captureBeforeAt, now) }
}

function nextActionOf(observation: Observation, status: Payment['status'], now: Date): Payment['nextAction'] {
  const { result } = observation
  if (status !== 'requires_action' || result.is !== 'action') return null
  const payerUrl = callOf(observation)?.payerUrl ?? null
  assert(payerUrl !== null, 'If the payer must authenticate, the observation must contain the payer URL.')
  return {
    type: 'redirect',
    url: payerUrl,
    expires_at: actionExpiresAt(result.expiresAt, now).toISOString(),
    target: result.action.url,
    ...(result.action.type === 'form' ? { fields: result.action.fields } : {}),
  }
}

/** Changes to a payment that emit an event, and changes that do not. */
import type { EventDefinition } from '../../../../platform/db/events.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import type { Observation } from '../observation.ts'
import type { Operation, Payment } from '../payment.ts'
import type { Decision } from '../rules/decide.ts'
import { dueAtOf } from '../rules/expiry.ts'
import { insertConflict } from '../store/conflicts.ts'
import * as store from '../store/payments.ts'

export function updateAndEmit(
  tx: Tx,
  before: Payment,
  changes: store.PaymentChanges,
  event: EventDefinition<Payment>,
): Payment {
  const after = store.updatePayment(tx, before, changes, true)
  tx.emit(event, { before, after })
  return after
}

/** Emits no event yet, because most unknown outcomes are resolved a moment later. */
export function markUnresolved(tx: Tx, before: Payment): Payment {
  const unresolvedSinceAt = before.unresolvedSinceAt ?? tx.now
  const dueAt = dueAtOf({ ...before, unresolvedSinceAt }, tx.now)
  return store.updatePayment(tx, before, { unresolvedSinceAt, dueAt }, false)
}

/**
 * Does nothing while the outcome is unknown. Emits `payment.resolved` if `payment.unresolved` was emitted.
 */
export function clearUnresolved(tx: Tx, before: Payment, { operation }: Decision): Payment {
  const isKnown = operation.status !== 'unknown' && operation.status !== 'needs_review'
  if (before.unresolvedSinceAt === null || !isKnown) return before
  const cleared = { unresolvedSinceAt: null, unresolvedEmitted: false }
  const changes = { ...cleared, dueAt: dueAtOf({ ...before, ...cleared }, tx.now) }
  if (before.unresolvedEmitted) return updateAndEmit(tx, before, changes, events.paymentResolved)
  return store.updatePayment(tx, before, changes, false)
}

/** Has an effect only once: repeated reports change nothing. */
export async function flagForReview(
  tx: Tx,
  before: Payment,
  operation: Operation,
  { differs, result }: Observation,
): Promise<Payment> {
  if (before.review !== null) return before
  if (differs && result.is === 'succeeded') {
    const { amount, currency } = result.money
    const detail = `Requested ${operation.amount} ${operation.currency}; the provider reports ${amount} ${currency}.`
    await insertConflict(tx, operation, { kind: 'different_amount', detail })
  }
  return updateAndEmit(tx, before, { review: 'needs_review' }, events.paymentNeedsReview)
}

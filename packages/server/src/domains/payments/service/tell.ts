/** Changes of a payment that are told, and those about which there is nothing to tell yet. */
import type { EventDefinition } from '../../../platform/db/events.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Decision } from '../decide.ts'
import * as events from '../events.ts'
import { dueAtOf } from '../expiry.ts'
import type { Operation, Payment } from '../payment.ts'
import { insertConflict } from '../store/conflicts.ts'
import * as store from '../store/payments.ts'
import type { Seen } from './record.ts'

export async function tell(
  tx: Tx,
  before: Payment,
  changes: store.PaymentChanges,
  event: EventDefinition<Payment>,
): Promise<Payment> {
  const after = await store.updatePayment(tx, before, changes, true)
  tx.emit(event, { before, after })
  return after
}

/** Nothing is told yet: most of these are known a moment later. */
export function unresolve(tx: Tx, before: Payment): Promise<Payment> {
  const unresolvedSinceAt = before.unresolvedSinceAt ?? tx.now
  const dueAt = dueAtOf({ ...before, unresolvedSinceAt }, tx.now)
  return store.updatePayment(tx, before, { unresolvedSinceAt, dueAt }, false)
}

/** It is known again. Whoever was told that it is not is told this, and then what it is. */
export async function endUnresolved(tx: Tx, before: Payment, { operation }: Decision): Promise<Payment> {
  const isKnown = operation.status !== 'unknown' && operation.status !== 'needs_review'
  if (before.unresolvedSinceAt === null || !isKnown) return before
  const known = { unresolvedSinceAt: null, unresolvedTold: false }
  const changes = { ...known, dueAt: dueAtOf({ ...before, ...known }, tx.now) }
  if (before.unresolvedTold) return tell(tx, before, changes, events.paymentResolved)
  return store.updatePayment(tx, before, changes, false)
}

/** Once: a provider that repeats itself does not make it worse. */
export async function needReview(
  tx: Tx,
  before: Payment,
  operation: Operation,
  { differs, learned }: Seen,
): Promise<Payment> {
  if (before.review !== null) return before
  if (differs && learned.is === 'succeeded') {
    const { amount, currency } = learned.money
    const detail = `Asked for ${operation.amount} ${operation.currency}; the provider says ${amount} ${currency}.`
    await insertConflict(tx, operation, { kind: 'different_amount', detail })
  }
  return tell(tx, before, { review: 'needs_review' }, events.paymentNeedsReview)
}

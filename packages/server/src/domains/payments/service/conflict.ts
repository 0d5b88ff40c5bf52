/**
 * A provider's word against our books. What is final stays; the contradiction is written down and told. Money that
 * they merely hold for something that is dead is let go at once; what they took is for a person.
 */
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { decideOnHeld, withPatience } from '../decide.ts'
import * as events from '../events.ts'
import { isDead, type Operation, type Payment } from '../payment.ts'
import { hasOpenConflict, insertConflict, resolveConflicts } from '../store/conflicts.ts'
import * as operations from '../store/operations.ts'
import { orderAt } from './orders.ts'
import type { Learning, Progress } from './record.ts'
import { tell } from './tell.ts'
import { writeOperation } from './write.ts'

type Compared = Pick<Progress, 'payment' | 'next'>

/** What is heard of an operation that has ended. Mostly it is what is known already. */
export async function compareWithBooks(tx: Tx, learning: Learning): Promise<Compared> {
  const { payment, operation, seen } = learning
  const { learned, differs } = seen
  if (learned.is !== 'succeeded' || (operation.status === 'succeeded' && !differs))
    return { payment, next: null }
  const { amount, currency } = learned.money
  const said = `The provider says that ${learned.ref} succeeded with ${amount} ${currency}`
  const isNew = await insertConflict(tx, operation, {
    kind: operation.status === 'succeeded' ? 'different_amount' : 'late_success',
    detail: `${said}; here ${operation.reference} is ${operation.status} with ${operation.amount} ${operation.currency}.`,
  })
  if (!isNew) return { payment, next: null }
  const after = await tell(tx, payment, { review: 'conflict' }, events.paymentConflictDetected)
  return { payment: after, next: await undo(tx, { ...learning, payment: after }, learned.ref) }
}

/** Null if the money was taken, or lies where it should. */
async function undo(tx: Tx, learning: Learning, ref: string): Promise<Operation | null> {
  const { payment, attempt, operation } = learning
  if (operation.kind !== 'authorize' || operation.capture || !isDead(attempt)) return null
  // The row of the operation is closed; by its attempt it can still be called as they call it.
  const named = await operations.updateAttempt(tx, attempt, { providerReference: ref })
  return orderAt(tx, payment, named, { kind: 'void', amount: operation.amount })
}

/** What became of letting go of something that never should have been held. The payment is as it was. */
export async function recordUndoing(
  tx: Tx,
  { payment, attempt, operation, seen }: Learning,
): Promise<Compared> {
  const { byPerson = false } = seen
  const facts = { payment, attempt, operation, ...seen, byPerson, mayGoOn: false }
  const decision = withPatience(decideOnHeld(facts), operation, tx.now)
  await writeOperation(tx, operation, decision, seen)
  if (decision.operation.status !== 'succeeded') return { payment, next: null }
  const held = (await operations.listOperations(tx, payment.id)).find(
    ({ attemptId, kind }) => attemptId === attempt.id && kind === 'authorize',
  )
  return { payment: held === undefined ? payment : await endConflicts(tx, payment, held), next: null }
}

/** Of one operation. When none is left, nobody has to look any more. */
export async function endConflicts(tx: Tx, before: Payment, operation: Operation): Promise<Payment> {
  await resolveConflicts(tx, operation)
  if (before.review !== 'conflict' || (await hasOpenConflict(tx, before.id))) return before
  return tell(tx, before, { review: null }, events.paymentUpdated)
}

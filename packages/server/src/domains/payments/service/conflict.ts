/** A provider's word against our books. What is final stays; the contradiction is written down and told. */
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { paymentConflictDetected } from '../events.ts'
import type { Operation, Payment } from '../payment.ts'
import { insertConflict } from '../store/conflicts.ts'
import { updatePayment } from '../store/payments.ts'
import type { Seen } from './record.ts'

/** What is heard of an operation that has ended. Mostly it is what is known already. */
export async function compareWithBooks(
  tx: Tx,
  payment: Payment,
  operation: Operation,
  { learned, differs }: Seen,
): Promise<Payment> {
  if (learned.is !== 'succeeded') return payment
  if (operation.status === 'succeeded' && !differs) return payment
  const { amount, currency } = learned.money
  const said = `The provider says that ${learned.ref} succeeded with ${amount} ${currency}`
  const isNew = await insertConflict(tx, operation, {
    kind: operation.status === 'succeeded' ? 'different_amount' : 'late_success',
    detail: `${said}; here ${operation.reference} is ${operation.status} with ${operation.amount} ${operation.currency}.`,
  })
  if (!isNew) return payment
  const after = await updatePayment(tx, payment, { review: 'conflict' }, true)
  tx.emit(paymentConflictDetected, { before: payment, after })
  return after
}

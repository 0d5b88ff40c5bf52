/**
 * Limits automatic refunds: of a payment that was cancelled while its outcome was unknown, of a
 * withdrawn invoice, and of unused time. The cardholder gets a disputed amount from the dispute, so it is never refunded
 * as well. What is not refunded needs review, because the dispute may still be won.
 */
import { assert } from '../../../../kernel/assert.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { Payment } from '../payment.ts'
import { disputedAmount } from '../store/disputed.ts'
import { listOperations } from '../store/operations.ts'
import { lockPayment } from '../store/payments.ts'
import { flagConflict } from './conflicts.ts'

/** The part of the amount that is not disputed. The caller has locked the payment, and continues with the returned one. */
export async function withoutDisputedPart(
  tx: Tx,
  payment: Payment,
  requested: bigint,
): Promise<{ readonly payment: Payment; readonly amount: bigint }> {
  const disputed = await disputedAmount(tx, payment.id)
  const left = payment.amountCaptured - payment.amountRefunded - payment.amountRefunding - disputed
  if (disputed === 0n || requested <= left) return { payment, amount: requested }

  const operations = await listOperations(tx, payment.id)
  const operation = operations.find(({ kind, status }) => kind === 'authorize' && status === 'succeeded')
  assert(operation !== undefined, 'A disputed payment must have a successful authorization.')
  const amount = left > 0n ? left : 0n
  const detail = `${requested - amount} ${payment.currency} would have been refunded automatically, but it is disputed.`
  await flagConflict(tx, { payment, operation }, { kind: 'dispute', detail })
  return { payment: await lockPayment(tx, payment.id), amount }
}

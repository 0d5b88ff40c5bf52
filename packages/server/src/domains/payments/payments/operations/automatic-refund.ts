/**
 * Limits automatic refunds, which are made for payments that were cancelled while their outcome was unknown,
 * for withdrawn invoices, and for unused time. A disputed amount is never refunded, because the cardholder
 * already gets it through the dispute. The payment then needs review, because the dispute may still be won.
 */
import { assert } from '../../../../kernel/assert.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { Payment } from '../payment.ts'
import { disputedAmount } from '../store/disputed.ts'
import { listOperations } from '../store/operations.ts'
import { lockPayment } from '../store/payments.ts'
import { flagConflict } from './conflicts.ts'

/**
 * Returns the part of the amount that is not disputed. The caller has locked the payment, and must continue
 * with the returned payment.
 */
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

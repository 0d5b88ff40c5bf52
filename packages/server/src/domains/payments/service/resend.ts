/**
 * Captures and refunds that ended without having happened, and without anybody having said no, go again. Each is a
 * new operation: what is proven of the first holds for ever.
 */
import type { Id } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import type { Operation, Payment } from '../payment.ts'
import { refundOf } from '../store/refunds.ts'
import { dropResend } from '../store/resends.ts'
import { order } from './orders.ts'
import { tell } from './tell.ts'

/** What is to be sent now. An end of which nobody wants a repeat any more is not due again. */
export async function sendAgain(tx: Tx, payment: Payment, ended: readonly Operation[]): Promise<Operation[]> {
  const again: Operation[] = []
  let current = payment
  for (const one of ended) {
    await dropResend(tx, one)
    if (one.kind === 'capture') {
      if (!isStillHeld(current, one)) continue
      current = await tell(tx, current, { status: 'processing' }, events.paymentUpdated)
    } else {
      const refund = await refundOf(tx, payment.id, one.refundId as Id<'refund'>)
      if (refund.status !== 'pending') continue
    }
    again.push(await order(tx, current, wishOf(one)))
  }
  return again
}

function isStillHeld({ status, amountCapturable }: Payment, { amount }: Operation): boolean {
  return status === 'requires_capture' && amount <= amountCapturable
}

function wishOf({ kind, amount, final, refundId, resends }: Operation) {
  return {
    kind: kind as 'capture' | 'refund',
    amount,
    final,
    resends: resends + 1,
    ...(refundId === null ? {} : { refundId }),
  }
}

/**
 * Resends captures and refunds that the provider neither processed nor declined. Each resend is a new
 * operation, because the result of the first one is final.
 */
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import type { Operation, Payment } from '../payment.ts'
import { refundOf } from '../store/refunds.ts'
import { clearResend } from '../store/resends.ts'
import { addOperation } from './add-operation.ts'
import { updateAndEmit } from './update-and-emit.ts'

/** Returns the operations to send now. A resend that is no longer possible is dropped. */
export async function resendOperations(
  tx: Tx,
  payment: Payment,
  ended: readonly Operation[],
): Promise<Operation[]> {
  const toSend: Operation[] = []
  let current = payment
  for (const operation of ended) {
    await clearResend(tx, operation)
    if (operation.kind === 'capture') {
      if (!isCapturable(current, operation)) continue
      current = updateAndEmit(tx, current, { status: 'processing' }, events.paymentUpdated)
    } else {
      const refund = await refundOf(tx, payment.id, operation.refundId as Id<'refund'>)
      if (refund.status !== 'pending') continue
    }
    toSend.push(await addOperation(tx, current, requestOf(operation)))
  }
  return toSend
}

function isCapturable({ status, amountCapturable }: Payment, { amount }: Operation): boolean {
  return status === 'requires_capture' && amount <= amountCapturable
}

function requestOf(repeated: Operation) {
  const { kind, amount, final, refundId, resends } = repeated
  return {
    kind: kind as 'capture' | 'refund',
    amount,
    final,
    resends: resends + 1,
    repeated,
    ...(refundId === null ? {} : { refundId }),
  }
}

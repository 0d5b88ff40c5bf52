import type { Id } from '../../../../kernel/id.ts'
import type { View } from '../../../../platform/db/unit-of-work.ts'
import { type ChargedMethod, findPaymentMethod, type PaymentMethod } from '../../payment-methods/service.ts'
import type { Operation, Payment } from '../payment.ts'
import type { Refund } from '../refund.ts'

/** The current state of a payment, and the operation to send next, if any. */
export type Progress = {
  /** The payment or refund that the request is about. */
  readonly id: Id<'payment'> | Id<'refund'>
  readonly payment: Payment
  readonly next: Operation | null
  /** Set if the request is about a refund. */
  readonly refund?: Refund
  /** The payment method that a verification created. */
  readonly method?: PaymentMethod
  /** The saved payment method that is charged, if it was just read. */
  readonly charged?: ChargedMethod | undefined
}

/** The current state, with nothing to send. */
export async function currentProgress(view: View, payment: Payment): Promise<Progress> {
  const { id, paymentMethodId, purpose } = payment
  if (purpose !== 'verification' || paymentMethodId === null) return { id, payment, next: null }
  return { id, payment, next: null, method: await findPaymentMethod(view, paymentMethodId) }
}

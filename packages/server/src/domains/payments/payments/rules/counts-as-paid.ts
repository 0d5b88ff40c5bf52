import { type Payment, refundableAmount } from '../payment.ts'

/**
 * Whether a payment whose outcome is known counts as paid: it is authorized or captured, no cancellation was
 * requested, and it was not refunded or returned in full. The database function `payment_is_kept` checks the same.
 */
export function countsAsPaid(payment: Payment): boolean {
  const { status, cancelRequestedAt } = payment
  if (cancelRequestedAt !== null) return false
  return status === 'requires_capture' || (status === 'succeeded' && refundableAmount(payment) > 0n)
}

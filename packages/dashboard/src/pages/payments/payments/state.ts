/** The displayed status of a payment and its possible actions. The server enforces what is allowed. No side effects. */
import type { Operation, Payment } from '@switchyard/sdk'

/** A review or an unknown outcome takes precedence over the status. */
export function displayedStatus({ status, review, unresolved_since_at }: Payment): string {
  if (review !== null) return review
  return unresolved_since_at === null ? status : 'unknown'
}

export function isUnknown(payment: Payment): boolean {
  return payment.unresolved_since_at !== null
}

/** Additional badges next to the status. */
export function badgesOf(payment: Payment): { readonly status: string; readonly text: string }[] {
  const { amount_captured: captured, amount_refunded: refunded, amount_refunding: pending } = payment
  const badges: { status: string; text: string }[] = []
  if (refunded > 0 && refunded >= captured) badges.push({ status: 'refunded', text: 'Refunded' })
  else if (refunded > 0) badges.push({ status: 'partially_refunded', text: 'Partially refunded' })
  if (pending > 0) badges.push({ status: 'refunding', text: 'Refund pending' })
  if (payment.cancel_requested_at !== null && payment.status !== 'cancelled')
    badges.push({ status: 'processing', text: 'Cancelling' })
  if (payment.purpose === 'verification') badges.push({ status: 'open', text: 'Verification' })
  return badges
}

export function refundableAmount(payment: Payment): number {
  return payment.amount_captured - payment.amount_refunded - payment.amount_refunding
}

export type PaymentAction = 'capture' | 'cancel' | 'refund' | 'check' | 'resolve'

/** The actions that the state allows, the most likely first. */
export function actionsOf(payment: Payment, operations: readonly Operation[]): PaymentAction[] {
  const canCancel = ['processing', 'requires_action', 'requires_capture'].includes(payment.status)
  const isOpen = operations.some(({ status }) => ['unknown', 'pending', 'needs_review'].includes(status))
  const isAvailable: { readonly [A in PaymentAction]: boolean } = {
    resolve: payment.review !== null,
    capture: payment.status === 'requires_capture' && payment.amount_capturable > 0,
    refund: refundableAmount(payment) > 0,
    check: isOpen || isUnknown(payment),
    cancel: canCancel && payment.cancel_requested_at === null,
  }
  return (Object.keys(isAvailable) as PaymentAction[]).filter((action) => isAvailable[action])
}

/** The failure code; null while the outcome is unknown. */
export function reasonOf(payment: Payment): string | null {
  if (isUnknown(payment)) return null
  return payment.failure?.code ?? payment.last_error?.code ?? null
}

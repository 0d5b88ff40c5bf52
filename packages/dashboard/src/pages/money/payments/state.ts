/** What a payment is at the moment, and what can be done with it. Pure: the server has the last word. */
import type { Operation, Payment } from '@switchyard/sdk'

/** While it is not known what became of it, that is its state, whatever else is. */
export function shownStatus({ status, review, unresolved_since_at }: Payment): string {
  if (review !== null) return review
  return unresolved_since_at === null ? status : 'unknown'
}

export function isUnknown(payment: Payment): boolean {
  return payment.unresolved_since_at !== null
}

/** Beside its status: what else there is to know at a glance, as status words. */
export function notesOf(payment: Payment): { readonly status: string; readonly text: string }[] {
  const { amount_captured: taken, amount_refunded: back, amount_refunding: onItsWay } = payment
  const notes: { status: string; text: string }[] = []
  if (back > 0 && back >= taken) notes.push({ status: 'refunded', text: 'Refunded' })
  else if (back > 0) notes.push({ status: 'partially_refunded', text: 'Partially refunded' })
  if (onItsWay > 0) notes.push({ status: 'refunding', text: 'Refund under way' })
  if (payment.cancel_requested_at !== null && payment.status !== 'cancelled')
    notes.push({ status: 'processing', text: 'Cancelling' })
  if (payment.purpose === 'verification') notes.push({ status: 'open', text: 'Verification' })
  return notes
}

export function leftToRefund(payment: Payment): number {
  return payment.amount_captured - payment.amount_refunded - payment.amount_refunding
}

export type PaymentAction = 'capture' | 'cancel' | 'refund' | 'check' | 'resolve'

/** Only what its state allows, the most likely first. */
export function actionsOf(payment: Payment, operations: readonly Operation[]): PaymentAction[] {
  const canCancel = ['processing', 'requires_action', 'requires_capture'].includes(payment.status)
  const isOpen = operations.some(({ status }) => ['unknown', 'pending', 'needs_review'].includes(status))
  const legal: { readonly [A in PaymentAction]: boolean } = {
    resolve: payment.review !== null,
    capture: payment.status === 'requires_capture' && payment.amount_capturable > 0,
    refund: leftToRefund(payment) > 0,
    check: isOpen || isUnknown(payment),
    cancel: canCancel && payment.cancel_requested_at === null,
  }
  return (Object.keys(legal) as PaymentAction[]).filter((action) => legal[action])
}

/** Why it did not work, as a code. None while it is not known whether it did. */
export function reasonOf(payment: Payment): string | null {
  if (isUnknown(payment)) return null
  return payment.failure?.code ?? payment.last_error?.code ?? null
}

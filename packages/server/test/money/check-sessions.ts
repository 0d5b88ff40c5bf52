// Checks checkout sessions and payment links against the ledgers of the providers.

import { automaticallyRefunded, type CheckInput, wireId } from './billing-check-input.ts'
import type { SessionRow } from './billing-records.ts'
import type { PaymentRow } from './records.ts'

/** A session is completed if and only if its payment was kept, and its link counts it accordingly. */
export function sessionsMatchTheLedgers(input: CheckInput): string[] {
  const { billing } = input
  return [
    ...billing.sessions.flatMap((session) =>
      sessionViolations(input, session).map(
        (violation) => `session: ${wireId('checkout_session', session)} ${violation}`,
      ),
    ),
    ...billing.links.flatMap((link) => {
      const sessions = billing.sessions.filter(({ payment_link_id }) => payment_link_id === link.id)
      const completed = sessions.filter(({ status }) => status === 'completed').length
      const paying = sessions.filter(({ status }) => status === 'processing').length
      return link.completed === completed && link.reserved === paying
        ? []
        : [
            `link: ${wireId('payment_link', link)} counts ${link.completed} completed and ${link.reserved} reserved payments, its sessions ${completed} and ${paying}`,
          ]
    }),
  ]
}

function sessionViolations(input: CheckInput, session: SessionRow): string[] {
  const payments = input.records.payments.filter((row) => row.checkout_session_id === session.id)
  const keptPayments = payments.filter((row) => {
    const { captured, refunded, authorized } = input.ledger(row)
    return captured > refunded || authorized > 0
  })
  if (keptPayments.length > 1) return [`was paid ${keptPayments.length} times`]
  if (session.status === 'processing') return ['stays in status processing']
  if (session.status === 'completed') {
    const violation = completionViolation(
      input,
      session,
      payments.find(({ id }) => id === session.payment_id),
    )
    return violation === null ? [] : [violation]
  }
  if (session.receipt_due_at !== null || session.receipt_sent_at !== null)
    return ['has a receipt without being completed']
  return keptPayments.length === 0 ? [] : [`is ${session.status}, and its money was kept`]
}

function completionViolation(
  input: CheckInput,
  { completed_at: completedAt }: SessionRow,
  paidBy: PaymentRow | undefined,
): string | null {
  if (paidBy === undefined) return 'is completed without a payment'
  const cancelledAt = paidBy.cancel_requested_at
  // The scenario clock may not advance between the cancellation and the completion.
  const wasCancelled = cancelledAt !== null && completedAt !== null && cancelledAt < completedAt
  if (wasCancelled || automaticallyRefunded(input, paidBy) > 0)
    return 'is completed, and its payment was cancelled before'
  const { captured, authorized } = input.ledger(paidBy)
  // A later refund or void does not undo the completion.
  const wasKept = captured > 0 || authorized > 0 || cancelledAt !== null || paidBy.status === 'cancelled'
  return wasKept ? null : 'is completed, and nothing was charged'
}

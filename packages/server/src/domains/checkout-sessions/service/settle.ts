/** What becomes of a session when its payment has ended: paid, open again, or over. */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import type { Ref } from '../../../kernel/id.ts'
import { type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { forgetLink, returnPlace } from '../../payment-links/service/public.ts'
import { completePlace } from '../../payment-links/service.ts'
import { findPayment, isDecided, type Payment } from '../../payments/service/checkout.ts'
import { type CheckoutSession, mostDeclines } from '../session.ts'
import { lockSession, type SessionChanges } from '../store/sessions.ts'
import { endTry } from '../store/tries.ts'
import { pull } from './pull.ts'

/** Work, and what whoever looks at the session does in passing. While the outcome is not known it keeps its place. */
export async function settleSession(deps: Deps, ref: Ref<'checkout_session'>): Promise<void> {
  const settled = await transact(deps, systemCaller(ref), async (tx) => {
    const session = await lockSession(tx, ref.id)
    if (session.livePaymentId === null) return null
    const payment = await findPayment(tx, session.livePaymentId)
    // A message may come early or twice. The rows know whether there is anything to do.
    if (!isDecided(payment)) return null
    await settle(deps, tx, session, payment)
    return session.paymentLinkId
  })
  // It may have been the last place.
  if (settled !== null) forgetLink(deps, { workspaceId: ref.workspaceId, id: settled })
}

async function settle(deps: Deps, tx: Tx, session: CheckoutSession, payment: Payment): Promise<void> {
  const isPaid = payment.status === 'succeeded' || payment.status === 'requires_capture'
  if (session.liveTryId !== null) await endTry(tx, session.liveTryId, resultOf(payment, isPaid))
  const over = { livePaymentId: null, liveTryId: null }
  if (isPaid) await pull(tx, session, 'paid', { ...over, ...completionOf(deps, tx, session) })
  else await pull(tx, session, 'failed', { ...over, declines: Math.min(mostDeclines, session.declines + 1) })
  // Last: whoever pays by the same link waits for the end of this unit.
  const { paymentLinkId } = session
  if (paymentLinkId === null) return
  await (isPaid ? completePlace(deps, tx, paymentLinkId) : returnPlace(tx, paymentLinkId))
}

function completionOf({ mailer }: Deps, { now }: Tx, { payer }: CheckoutSession): SessionChanges {
  const wantsReceipt = mailer !== null && payer?.email !== null && payer !== null
  return { completedAt: now, ...(wantsReceipt ? { receiptDueAt: now } : {}) }
}

/** Of what no bank was asked about nothing can be learned. */
function resultOf({ attemptsCount }: Payment, isPaid: boolean): 'approved' | 'declined' | 'released' {
  if (isPaid) return 'approved'
  return attemptsCount === 0 ? 'released' : 'declined'
}

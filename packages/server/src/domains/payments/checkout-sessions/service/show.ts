/** A session as its payer sees it. Reading it also applies the result of a payment that has ended. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { findSeller } from '../../../access/organizations/service.ts'
import { requireVaultForPages } from '../../card-tokens/service.ts'
import { currentOffer } from '../../payment-links/service/offer.ts'
import { findCachedLink } from '../../payment-links/service/public.ts'
import { findPayment, hasOutcome, type Payment } from '../../payments/commands/pay-checkout-session.ts'
import type { VerifiedSession } from '../client-secret.ts'
import type { Status } from '../machine.ts'
import type { SessionView } from '../schema/public.ts'
import type { CheckoutSession } from '../session.ts'
import { findSessionOrNull } from '../store/sessions.ts'
import { applyPaymentResult } from './apply-payment-result.ts'
import { currentTime } from './current-time.ts'
import { buildUnstoredSession } from './open.ts'

export async function showSession(deps: Deps, caller: Caller, ref: VerifiedSession): Promise<SessionView> {
  let current = await readSession(deps, caller, ref)
  if (current.session.status === 'processing' && current.payment !== null && hasOutcome(current.payment)) {
    await applyPaymentResult(deps, ref)
    current = await readSession(deps, caller, ref)
  }
  const [status, seller] = await Promise.all([
    currentStatus(deps, caller, current.session),
    findSeller(deps, ref.workspaceId),
  ])
  const { session } = current
  const offer = currentOffer(session, session.order?.at ?? currentTime(deps))
  return { ...current, status, seller, offer }
}

type SessionAndPayment = { readonly session: CheckoutSession; readonly payment: Payment | null }

async function readSession(deps: Deps, caller: Caller, ref: VerifiedSession): Promise<SessionAndPayment> {
  const stored = await read(deps, caller, async (view) => {
    const session = await findSessionOrNull(view, ref.id)
    if (session === null) return null
    return {
      session,
      payment: session.paymentId === null ? null : await findPayment(view, session.paymentId),
    }
  })
  return stored ?? { session: await buildUnstoredSession(deps, ref), payment: null }
}

/**
 * A session that has just expired, or whose link is no longer active, counts as expired even if it is stored
 * as open. Refuses an open session in production if the vault is disabled: its page could not take a card. The
 * session of a link is checked when the link is loaded.
 */
async function currentStatus(deps: Deps, caller: Caller, session: CheckoutSession): Promise<Status> {
  const { status, expiresAt, paymentLinkId, workspaceId } = session
  if (status !== 'open') return status
  if (expiresAt <= currentTime(deps)) return 'expired'
  if (paymentLinkId === null) {
    if (caller.mode === 'live') await read(deps, caller, (view) => requireVaultForPages(deps, view))
    return status
  }
  const link = await findCachedLink(deps, { workspaceId, id: paymentLinkId })
  return link.status === 'active' ? status : 'expired'
}

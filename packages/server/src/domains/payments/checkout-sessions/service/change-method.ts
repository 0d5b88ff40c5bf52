/** Handles a payer who was redirected to a provider, and returns to pay with another method. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { withoutKey } from '../../../../platform/db/resumable.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { abandonAction } from '../../payments/commands/abandon-action.ts'
import type { VerifiedSession } from '../client-secret.ts'
import type { SessionView } from '../schema/public.ts'
import { findSessionOrNull } from '../store/sessions.ts'
import { showSession } from './show.ts'

/**
 * Ends the payment that waits for the payer. The session is open again only once the provider has confirmed that nothing
 * will be charged, so that the payer is never charged twice. Otherwise the session does not change.
 */
export async function changeMethod(deps: Deps, caller: Caller, ref: VerifiedSession): Promise<SessionView> {
  const payer = withoutKey(caller)
  const session = await read(deps, payer, (view) => findSessionOrNull(view, ref.id))
  const paymentId = session?.status === 'processing' ? session.pendingPaymentId : null
  if (paymentId !== null) await abandonAction(deps, payer, paymentId)
  return showSession(deps, payer, ref)
}

/** A session as its payer sees it. Whoever looks also writes down what has become of it. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { machineTime } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import { read } from '../../../platform/db/unit-of-work.ts'
import { findSeller } from '../../organizations/service.ts'
import { recallLink } from '../../payment-links/service/public.ts'
import { findPayment, isDecided, type Payment } from '../../payments/service/checkout.ts'
import type { Status } from '../machine.ts'
import type { SessionView } from '../schema/public.ts'
import type { CheckoutSession } from '../session.ts'
import { findSession } from '../store/sessions.ts'
import { settleSession } from './settle.ts'

export async function showSession(
  deps: Deps,
  caller: Caller,
  ref: Ref<'checkout_session'>,
): Promise<SessionView> {
  let seen = await look(deps, caller, ref)
  if (seen.session.status === 'processing' && seen.payment !== null && isDecided(seen.payment)) {
    await settleSession(deps, ref)
    seen = await look(deps, caller, ref)
  }
  const [status, seller] = await Promise.all([
    statusNow(deps, seen.session),
    findSeller(deps, ref.workspaceId),
  ])
  return { ...seen, status, seller }
}

type Seen = { readonly session: CheckoutSession; readonly payment: Payment | null }

function look(deps: Deps, caller: Caller, { id }: Ref<'checkout_session'>): Promise<Seen> {
  return read(deps, caller, async (view) => {
    const session = await findSession(view, id)
    return {
      session,
      payment: session.paymentId === null ? null : await findPayment(view, session.paymentId),
    }
  })
}

/** Nobody can pay in a session whose time is over, or whose link cannot be paid, also if that is not written yet. */
async function statusNow(deps: Deps, session: CheckoutSession): Promise<Status> {
  const { status, expiresAt, paymentLinkId, workspaceId } = session
  if (status !== 'open') return status
  if (expiresAt <= timeOf(deps)) return 'expired'
  if (paymentLinkId === null) return status
  const link = await recallLink(deps, { workspaceId, id: paymentLinkId })
  return link.status === 'active' ? status : 'expired'
}

/** Where there is no unit to ask for its instant. It decides nothing: paying asks again. */
export function timeOf({ clock }: Pick<Deps, 'clock'>): Date {
  const reading = clock.read()
  return reading.from === 'database' ? machineTime() : reading.at
}

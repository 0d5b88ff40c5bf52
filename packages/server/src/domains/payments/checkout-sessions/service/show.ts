/** A session as its payer sees it. Reading it also applies the result of a payment that has ended. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { expectedAmount } from '../../../../kernel/cart.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { findSeller } from '../../../access/organizations/service.ts'
import {
  type FieldsChoice,
  findCardEntry,
  findOtherMethods,
  type PaymentEntry,
} from '../../card-tokens/service.ts'
import { currentOffer } from '../../payment-links/service/offer.ts'
import { findCachedLink } from '../../payment-links/service/public.ts'
import {
  allowsAnotherAccount,
  findPayment,
  hasOutcome,
  type Payment,
} from '../../payments/commands/pay-checkout-session.ts'
import type { VerifiedSession } from '../client-secret.ts'
import type { Status } from '../machine.ts'
import type { SessionView } from '../schema/public.ts'
import type { CheckoutSession } from '../session.ts'
import { findSessionOrNull } from '../store/sessions.ts'
import { applyPaymentResult, isPendingDebit } from './apply-payment-result.ts'
import { currentTime } from './current-time.ts'
import { buildUnstoredSession } from './open.ts'
import { findListedCards } from './saved-cards.ts'

export { fieldsChoiceOf } from '../../card-tokens/service.ts'

const noChoice: FieldsChoice = { skipped: [], preferred: null }

export async function showSession(
  deps: Deps,
  caller: Caller,
  ref: VerifiedSession,
  choice: FieldsChoice = noChoice,
): Promise<SessionView> {
  let current = await readSession(deps, caller, ref)
  if (hasNewResult(current)) {
    await applyPaymentResult(deps, ref)
    current = await readSession(deps, caller, ref)
  }
  const [status, seller] = await Promise.all([
    currentStatus(deps, current.session),
    findSeller(deps, ref.workspaceId),
  ])
  const { session } = current
  const offer = currentOffer(session, session.order?.at ?? currentTime(deps))
  const entry = status === 'open' ? await entryOf(deps, caller, current, choice) : closed
  const savedCards = status === 'open' ? await findListedCards(deps, caller, session) : null
  return { ...current, status, seller, ...entry, offer, savedCards }
}

function hasNewResult({ session, payment }: SessionAndPayment): boolean {
  if (payment === null || session.pendingPaymentId === null) return false
  return hasOutcome(payment) || isPendingDebit(session, payment)
}

const closed: PaymentEntry = { cardEntry: null, otherMethods: [] }

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
 * as open.
 */
async function currentStatus(deps: Deps, session: CheckoutSession): Promise<Status> {
  const { status, expiresAt, paymentLinkId, workspaceId } = session
  if (status !== 'open') return status
  if (expiresAt <= currentTime(deps)) return 'expired'
  if (paymentLinkId === null) return status
  const link = await findCachedLink(deps, { workspaceId, id: paymentLinkId })
  return link.status === 'active' ? status : 'expired'
}

/**
 * After a decline for which another account may be tried, the payer enters the card again in the card fields of another
 * account, if there is one.
 */
function entryOf(
  deps: Deps,
  caller: Caller,
  { session, payment }: SessionAndPayment,
  { skipped, preferred }: FieldsChoice,
): Promise<PaymentEntry> {
  const { id, currency, captureMethod, paymentLinkId, paymentRouteId, customerId, metadata } = session
  const expected = {
    key: id,
    checkoutSessionId: id,
    amount: expectedAmount(session),
    currency,
    captureMethod,
    paymentLinkId,
    paymentRouteId,
    customerId,
    metadata,
  }
  return read(deps, caller, async (view) => {
    const timed = { ...view, now: currentTime(deps) }
    const declinedAt =
      payment !== null && (await allowsAnotherAccount(deps, view, payment)) ? payment.providerAccountId : null
    const others = declinedAt === null ? skipped : [...skipped, declinedAt]
    const otherMethods = await findOtherMethods(deps, timed, session.mode, expected)
    const next = await findCardEntry(deps, timed, expected, { skipped: others, preferred })
    if (next !== null || declinedAt === null) return { cardEntry: next, otherMethods }
    return {
      cardEntry: await findCardEntry(deps, timed, expected, { skipped, preferred }),
      otherMethods,
    }
  })
}

/** How a payer comes to a session: by a link. Opening the page changes nothing; its script asks for this. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { faultsOfAmount, withQuantity } from '../../../kernel/cart.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse, refuseMember, refuseMembers } from '../../../kernel/errors.ts'
import type { Id, Ref } from '../../../kernel/id.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import { type PaymentLink, requireActive } from '../../payment-links/service/public.ts'
import { readSecret, secretOf } from '../client-secret.ts'
import { checkoutSessionCreated } from '../events.ts'
import type { OpenByLink } from '../schema/confirm.ts'
import type { OpenedSession } from '../schema.ts'
import { type CheckoutSession, lifeSeconds, type NewSession } from '../session.ts'
import { insertSession } from '../store/sessions.ts'

export function openByLink(
  deps: Deps,
  caller: Caller,
  id: Id<'payment_link'>,
  input: OpenByLink,
): Promise<OpenedSession> {
  return transact(deps, caller, async (tx) => {
    const link = await requireActive(tx, id)
    const ends = addSeconds(tx.now, lifeSeconds.link)
    const expiresAt = new Date(Math.min(ends.getTime(), link.expiresAt.getTime()))
    const session = await insertSession(tx, sessionOf(link, input, expiresAt))
    tx.emit(checkoutSessionCreated, { after: session })
    return opened(deps, session)
  })
}

function sessionOf(link: PaymentLink, { amount, quantity }: OpenByLink, expiresAt: Date): NewSession {
  const errors = amount === undefined ? [] : faultsOfAmount(link, amount)
  if (errors.length > 0) refuseMembers(errors)
  const { afterCompletion: after } = link
  return {
    currency: link.currency,
    amount: amount === undefined ? link.amount : BigInt(amount),
    openAmount: link.openAmount,
    lineItems: quantity === undefined ? link.lineItems : requireQuantity(link, quantity),
    paymentLinkId: link.id,
    customerId: link.customerId,
    paymentRouteId: link.paymentRouteId,
    captureMethod: link.captureMethod,
    collect: link.collect,
    customFields: link.customFields,
    successUrl: after.type === 'redirect' ? after.url : null,
    successMessage: after.type === 'page' ? after.message : null,
    cancelUrl: null,
    locale: link.locale,
    description: link.description,
    metadata: link.metadata,
    expiresAt,
  }
}

function requireQuantity({ lineItems }: PaymentLink, quantity: number): NewSession['lineItems'] {
  const chosen = withQuantity(lineItems, quantity)
  return chosen ?? refuseMember('/quantity', 'not_together', 'is fixed, and cannot be chosen')
}

/** With what is shown once: the address of its page, and the secret in it. */
export function opened({ addresses, linkKeys }: Deps, session: CheckoutSession): OpenedSession {
  const { workspaceId, id } = session
  const secret = secretOf(linkKeys, { workspaceId, id })
  return { session, secret, url: `${pageOf(addresses, session)}#${secret}` }
}

export function pageOf(addresses: Deps['addresses'], { id }: Pick<CheckoutSession, 'id'>): string {
  return `${addresses[id.startsWith('checkout_session_test_') ? 'test' : 'live']}/c/${id}`
}

/** The session of whoever can prove it. Junk is refused without asking anybody. */
export function requireSecret(
  { linkKeys }: Deps,
  mode: Caller['mode'],
  proof: { readonly id: string; readonly secret: string },
): Ref<'checkout_session'> {
  return readSecret(linkKeys, mode, proof) ?? refuse('checkout_secret_invalid')
}

/**
 * Opens a session from a payment link. Opening a link writes nothing and emits no event: the session is
 * created when the payer first tries to pay and the limits allow it.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { faultsOfAmount, fieldsToCollect, withQuantity } from '../../../../kernel/cart.ts'
import { addSeconds, machineTime } from '../../../../kernel/clock.ts'
import { refuse, refuseMember, refuseMembers } from '../../../../kernel/errors.ts'
import { idFromUuid, idMaker, type Ref, slotOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import {
  findCachedLink,
  type PaymentLink,
  requireActiveLink,
  requireCachedActive,
} from '../../payment-links/service/public.ts'
import {
  createClientSecret,
  type OpenedLink,
  type VerifiedSession,
  verifyClientSecret,
} from '../client-secret.ts'
import { checkoutSessionCreated } from '../events.ts'
import type { OpenLink } from '../schema/confirm.ts'
import type { CreatedSession } from '../schema.ts'
import { type CheckoutSession, initialValues, lifetimeSeconds, type NewSession } from '../session.ts'
import * as store from '../store/sessions.ts'
import { currentTime } from './current-time.ts'

/**
 * Generates the session id and its secret. Neither is stored. The rate limit of the link also applies if the
 * requests come from many networks, each below its own limit.
 */
export async function openLink(
  deps: Deps,
  { mode }: Caller,
  { workspaceId, id: paymentLinkId }: Ref<'payment_link'>,
  { amount = null, quantity = null }: Partial<Record<keyof OpenLink, number | null>>,
): Promise<{ readonly session: VerifiedSession; readonly secret: string }> {
  const { allowed, waitSeconds } = deps.limitLinkOpens(paymentLinkId)
  if (!allowed)
    refuse('rate_limited', {
      detail: 'This payment link is being opened too often. Nothing was charged.',
      retryAfterSeconds: waitSeconds,
    })
  const link = await requireCachedActive(deps, { workspaceId, id: paymentLinkId })
  const latestExpiry = addSeconds(currentTime(deps), lifetimeSeconds.link)
  const expiresAt = new Date(Math.min(latestExpiry.getTime(), link.expiresAt.getTime()))
  const openedLink = { paymentLinkId, amount, quantity, expiresAt }
  requireValidChoices(link, openedLink)
  const uuid = idMaker(machineTime(), slotOf(workspaceId))()
  const session = { workspaceId, id: idFromUuid('checkout_session', mode, uuid), openedLink }
  return { session, secret: createClientSecret(deps.linkKeys, session) }
}

/** The session that would be created if the payer tried to pay now. */
export async function buildUnstoredSession(
  deps: Deps,
  { workspaceId, id, openedLink }: VerifiedSession,
): Promise<CheckoutSession> {
  if (openedLink === null) return store.refuseMissing()
  const link = await findCachedLink(deps, { workspaceId, id: openedLink.paymentLinkId })
  const now = currentTime(deps)
  return {
    ...initialValues,
    ...toNewSession(link, openedLink),
    id,
    workspaceId,
    createdAt: now,
    updatedAt: now,
  }
}

/** What a payer with these choices would pay for. */
export async function buildSaleOfLink(
  deps: Deps,
  { workspaceId, id }: Ref<'payment_link'>,
  { amount = null, quantity = null }: Partial<Record<keyof OpenLink, number | null>>,
): Promise<NewSession & Pick<CheckoutSession, 'workspaceId'>> {
  const link = await requireCachedActive(deps, { workspaceId, id })
  const openedLink = { paymentLinkId: id, amount, quantity, expiresAt: link.expiresAt }
  requireValidChoices(link, openedLink)
  return { ...toNewSession(link, openedLink), workspaceId }
}

/** Locks the session, or creates it when its payer first tries to pay. */
export async function lockOrCreateSession(tx: Tx, ref: VerifiedSession): Promise<CheckoutSession> {
  const { id, openedLink } = ref
  const stored = await store.lockSessionOrNull(tx, id)
  if (stored !== null || openedLink === null) return stored ?? store.refuseMissing()
  const link = await requireActiveLink(tx, openedLink.paymentLinkId)
  const created = await store.insertSessionWithId(tx, id, toNewSession(link, openedLink))
  // A concurrent request of the same payer has created the session.
  if (created === null) return store.lockSession(tx, id)
  tx.emit(checkoutSessionCreated, { after: created })
  return created
}

function toNewSession(link: PaymentLink, { amount, quantity, expiresAt }: OpenedLink): NewSession {
  const { afterCompletion: after } = link
  return {
    mode: link.mode,
    subscription: link.subscription,
    currency: link.currency,
    amount: amount === null ? link.amount : BigInt(amount),
    openAmount: link.openAmount,
    lineItems: quantity === null ? link.lineItems : withQuantity(link.lineItems, quantity),
    paymentLinkId: link.id,
    invoiceId: null,
    customerId: link.customerId,
    discounts: [],
    cardUpdate: null,
    paymentRouteId: link.paymentRouteId,
    captureMethod: link.captureMethod,
    collect: fieldsToCollect(link),
    customFields: link.customFields,
    savedMethods: link.savedMethods,
    allowPromotionCodes: link.allowPromotionCodes,
    successUrl: after.type === 'redirect' ? after.url : null,
    successMessage: after.type === 'page' ? after.message : null,
    cancelUrl: null,
    locale: link.locale,
    description: link.description,
    metadata: link.metadata,
    expiresAt,
  }
}

/** The amount of a link never changes, so the choices are still valid when the session is created. */
function requireValidChoices(link: PaymentLink, { amount, quantity }: OpenedLink): void {
  const errors = amount === null ? [] : faultsOfAmount(link, amount)
  if (errors.length > 0) refuseMembers(errors)
  if (quantity !== null && withQuantity(link.lineItems, quantity) === null)
    refuseMember('/quantity', 'not_together', 'is fixed for this payment link and must be omitted')
}

/** Adds the client secret, and the URL of the hosted page with that secret. */
export function withSecretAndUrl({ addresses, linkKeys }: Deps, session: CheckoutSession): CreatedSession {
  const { workspaceId, id } = session
  const secret = createClientSecret(linkKeys, { workspaceId, id, openedLink: null })
  return { session, secret, url: `${pageUrlOf(addresses, session)}#${secret}` }
}

export function pageUrlOf(addresses: Deps['addresses'], { id }: Pick<CheckoutSession, 'id'>): string {
  return `${addresses[id.startsWith('checkout_session_test_') ? 'test' : 'live']}/c/${id}`
}

/** Verifies the secret of a session. An invalid secret is refused without a database query. */
export function requireSecret(
  { linkKeys }: Deps,
  mode: Caller['mode'],
  credentials: { readonly id: string; readonly secret: string },
): VerifiedSession {
  return verifyClientSecret(linkKeys, mode, credentials) ?? refuse('checkout_secret_invalid')
}

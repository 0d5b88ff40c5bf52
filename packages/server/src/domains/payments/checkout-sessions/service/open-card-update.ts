/** Opens sessions in which a customer replaces the card of their subscriptions. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { noSavedMethods } from '../../../../kernel/cart.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse, refuseMembers } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { faultsOfUrl } from '../../../../kernel/web-url.ts'
import { type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { requireSubscriptionOf } from '../../../billing/subscriptions/service/read.ts'
import { requireCardEntryForPages } from '../../card-tokens/service.ts'
import { type Customer, lockCustomer } from '../../customers/service.ts'
import { checkoutSessionCreated } from '../events.ts'
import type { CreatedSession, UpdatePaymentMethodLink } from '../schema.ts'
import { lifetimeSeconds } from '../session.ts'
import { insertSession } from '../store/sessions.ts'
import { withSecretAndUrl } from './open.ts'

export function createCardUpdateLink(
  deps: Deps,
  caller: Caller,
  customerId: string,
  { subscription_id: subscription, return_url }: UpdatePaymentMethodLink,
): Promise<CreatedSession> {
  const returnUrl = return_url ?? null
  return transact(deps, caller, async (tx) => {
    const faults = faultsOfUrl('/return_url', returnUrl, caller.mode)
    if (faults.length > 0) refuseMembers(faults)
    const customer = await lockCustomer(tx, customerId)
    const subscriptionId =
      subscription === undefined ? null : (await requireSubscriptionOf(tx, customer.id, subscription)).id
    const { cardUpdate: lifetime } = lifetimeSeconds
    return openSession(deps, tx, customer, { subscriptionId, returnUrl, lifetime })
  })
}

/** For a page of the customer: the session is valid for as long as a session that is opened from a link. */
export function openCardUpdate(
  deps: Deps,
  caller: Caller,
  customerId: Id<'customer'>,
  returnUrl: string | null,
): Promise<string> {
  return transact(deps, caller, async (tx) => {
    const customer = await lockCustomer(tx, customerId)
    const { link: lifetime } = lifetimeSeconds
    return (await openSession(deps, tx, customer, { subscriptionId: null, returnUrl, lifetime })).url
  })
}

type CardUpdate = {
  readonly subscriptionId: Id<'subscription'> | null
  readonly returnUrl: string | null
  readonly lifetime: number
}

async function openSession(
  deps: Deps,
  tx: Tx,
  { id: customerId, deletedAt, locale }: Customer,
  { subscriptionId, returnUrl, lifetime }: CardUpdate,
): Promise<CreatedSession> {
  if (deletedAt !== null) refuse('not_found', { detail: 'There is no such customer.' })
  await requireCardEntryForPages(deps, tx)
  const session = await insertSession(tx, {
    mode: 'setup',
    subscription: null,
    invoiceId: null,
    currency: 'eur',
    amount: null,
    openAmount: null,
    lineItems: null,
    paymentLinkId: null,
    customerId,
    discounts: [],
    cardUpdate: { subscriptionId },
    paymentRouteId: null,
    captureMethod: 'automatic',
    collect: [],
    customFields: [],
    savedMethods: noSavedMethods,
    allowPromotionCodes: false,
    successUrl: returnUrl,
    successMessage: null,
    cancelUrl: returnUrl,
    locale,
    description: null,
    metadata: {},
    expiresAt: addSeconds(tx.now, lifetime),
  })
  tx.emit(checkoutSessionCreated, { after: session })
  return withSecretAndUrl(deps, session)
}

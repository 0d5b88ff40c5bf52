/** The commands of the merchant's server on checkout sessions. The commands of payers are in `service/`. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import {
  factorsOfItem,
  faultsOfFields,
  fieldsToCollect,
  noSavedMethods,
  nothingToReduce,
} from '../../../kernel/cart.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { type Fault, refuseMember, refuseMembers } from '../../../kernel/errors.ts'
import { uuidInFilter } from '../../../kernel/filters.ts'
import type { Ref } from '../../../kernel/id.ts'
import { mergeMetadata } from '../../../kernel/metadata.ts'
import { faultsOfUrl } from '../../../kernel/web-url.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { discountsAfter, reserveDiscounts } from '../../billing/discounts/service/attach.ts'
import { routeFor } from '../../routing/payment-routes/service/decide.ts'
import { requireCardEntryForPages } from '../card-tokens/service.ts'
import { cartFrom, type NewCart, requireBuyer } from '../payment-links/service/cart.ts'
import { fieldsOf } from '../payment-links/service/input.ts'
import { checkoutSessionCreated } from './events.ts'
import type { CreateCheckoutSession, CreatedSession } from './schema.ts'
import { withSecretAndUrl } from './service/open.ts'
import { transition } from './service/transition.ts'
import { type CheckoutSession, lifetimeSeconds, type NewSession } from './session.ts'
import * as store from './store/sessions.ts'

export function createCheckoutSession(
  deps: Deps,
  caller: Caller,
  input: CreateCheckoutSession,
): Promise<CreatedSession> {
  return transact(deps, caller, async (tx) => {
    await requireCardEntryForPages(deps, tx)
    const { customer_id: customer, mode = 'payment' } = input
    const customerId = customer === undefined ? null : await requireBuyer(tx, mode, customer)
    const { cart, faults } = await cartFrom(tx, input, customerId)
    const newSession = await toNewSession(deps, tx, { ...cart, customerId }, input)
    requireValid(tx, newSession, faults)
    const session = await store.insertSession(tx, newSession)
    await reserveDiscounts(tx, session)
    tx.emit(checkoutSessionCreated, { after: session })
    return withSecretAndUrl(deps, session)
  })
}

async function toNewSession(
  deps: Deps,
  tx: Tx,
  cart: NewCart & Pick<NewSession, 'customerId'>,
  input: CreateCheckoutSession,
): Promise<NewSession> {
  const { payment_route_id: route, expires_at: expiresAt } = input
  const { allow_promotion_codes: allowPromotionCodes = false } = input
  const { mode, customerId } = cart
  const savedMethods = { ...noSavedMethods, ...input.saved_methods }
  return {
    ...cart,
    discounts: await discountsOf(tx, cart, customerId, input.discounts ?? []),
    paymentLinkId: null,
    invoiceId: null,
    cardUpdate: null,
    paymentRouteId: route === undefined ? null : (await routeFor(deps, tx, route)).id,
    captureMethod: input.capture_method ?? 'automatic',
    collect: fieldsToCollect({ mode, customerId, collect: input.collect ?? [], savedMethods }),
    customFields: fieldsOf(input.custom_fields ?? []),
    savedMethods,
    allowPromotionCodes,
    successUrl: input.success_url ?? null,
    successMessage: null,
    cancelUrl: input.cancel_url ?? null,
    locale: input.locale ?? null,
    description: input.description ?? null,
    metadata: mergeMetadata({}, input.metadata ?? {}),
    expiresAt: expiresAt === undefined ? addSeconds(tx.now, lifetimeSeconds.server) : new Date(expiresAt),
  }
}

/** The discounts of the subscription that is sold. */
async function discountsOf(
  tx: Tx,
  { mode, currency, lineItems }: NewCart,
  customerId: NewSession['customerId'],
  inputs: NonNullable<CreateCheckoutSession['discounts']>,
): Promise<NewSession['discounts']> {
  if (inputs.length === 0) return []
  if (mode !== 'subscription')
    refuseMember('/discounts', 'not_together', 'can only be used in subscription mode')
  const items = (lineItems ?? [])
    .filter(({ recurring }) => recurring !== undefined)
    .map((item) => ({ ...factorsOfItem(item), quantity: item.quantity }))
  return discountsAfter(tx, { customerId, currency, items }, [], [{ inputs }])
}

/** Reports all validation errors together. */
function requireValid({ now, caller }: Tx, session: NewSession, otherFaults: readonly Fault[]): void {
  const { expiresAt, successUrl, cancelUrl } = session
  const faults: Fault[] = [...otherFaults, ...faultsOfFields(session.customFields)]
  if (expiresAt <= now)
    faults.push({ pointer: '/expires_at', code: 'too_small', detail: 'must be in the future' })
  if (expiresAt > addSeconds(now, lifetimeSeconds.server))
    faults.push({ pointer: '/expires_at', code: 'too_large', detail: 'must be within 24 hours' })
  faults.push(...faultsOfUrl('/success_url', successUrl, caller.mode))
  faults.push(...faultsOfUrl('/cancel_url', cancelUrl, caller.mode))
  if (session.mode === 'setup' && session.allowPromotionCodes) faults.push(nothingToReduce)
  if (session.discounts.length > 0 && session.allowPromotionCodes)
    faults.push({
      pointer: '/allow_promotion_codes',
      code: 'not_together',
      detail: 'cannot be combined with discounts',
    })
  if (faults.length > 0) refuseMembers(faults)
}

export function getCheckoutSession(deps: Deps, caller: Caller, id: string): Promise<CheckoutSession> {
  return read(deps, caller, (view) => store.findSession(view, id))
}

export function listCheckoutSessions(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  { payment_link_id: link }: { readonly payment_link_id?: string | undefined },
) {
  const uuid = uuidInFilter('payment_link', caller.mode, link)
  return read(deps, caller, (view) => store.listSessions(view, range, uuid))
}

export function expireCheckoutSession(deps: Deps, caller: Caller, id: string): Promise<CheckoutSession> {
  return transact(deps, caller, async (tx) => transition(tx, await store.lockSession(tx, id), 'expire'))
}

/** Worker: expires a session. A session with a payment in progress has no due time. */
export async function expireSession(deps: Deps, ref: Ref<'checkout_session'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockSession(tx, ref.id)
    // The message may be late or a duplicate, so check the due time of the row.
    if (before.dueAt !== null && before.dueAt <= tx.now) await transition(tx, before, 'expiry_reached')
  })
}

/** What can be done with a checkout session from a server. What payers do is in `service/`. */
import type { Deps } from '../../deps.ts'
import { type Caller, systemCaller } from '../../kernel/caller.ts'
import { faultsOfCart, faultsOfFields } from '../../kernel/cart.ts'
import { addSeconds } from '../../kernel/clock.ts'
import { type Fault, refuseMembers } from '../../kernel/errors.ts'
import { uuidInFilter } from '../../kernel/filters.ts'
import type { Ref } from '../../kernel/id.ts'
import { mergeMetadata } from '../../kernel/metadata.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../platform/db/unit-of-work.ts'
import { requireCustomer } from '../customers/service.ts'
import { cartOf, fieldsOf, isWebAddress } from '../payment-links/service/input.ts'
import { routeFor } from '../payment-routes/service/decide.ts'
import { checkoutSessionCreated } from './events.ts'
import type { CreateCheckoutSession, OpenedSession } from './schema.ts'
import { opened } from './service/open.ts'
import { pull } from './service/pull.ts'
import { type CheckoutSession, lifeSeconds, type NewSession } from './session.ts'
import * as store from './store/sessions.ts'

export function createCheckoutSession(
  deps: Deps,
  caller: Caller,
  input: CreateCheckoutSession,
): Promise<OpenedSession> {
  return transact(deps, caller, async (tx) => {
    const wanted = await sessionOf(deps, tx, input)
    requireGood(tx, wanted)
    const session = await store.insertSession(tx, wanted)
    tx.emit(checkoutSessionCreated, { after: session })
    return opened(deps, session)
  })
}

async function sessionOf(deps: Deps, tx: Tx, input: CreateCheckoutSession): Promise<NewSession> {
  const { customer_id: customer, payment_route_id: route, expires_at: expiresAt } = input
  return {
    ...cartOf(input),
    currency: input.currency,
    paymentLinkId: null,
    customerId: customer === undefined ? null : (await requireCustomer(tx, customer)).id,
    paymentRouteId: route === undefined ? null : (await routeFor(deps, tx, route)).id,
    captureMethod: input.capture_method ?? 'automatic',
    collect: input.collect ?? [],
    customFields: fieldsOf(input.custom_fields ?? []),
    successUrl: input.success_url ?? null,
    successMessage: null,
    cancelUrl: input.cancel_url ?? null,
    locale: input.locale ?? null,
    description: input.description ?? null,
    metadata: mergeMetadata({}, input.metadata ?? {}),
    expiresAt: expiresAt === undefined ? addSeconds(tx.now, lifeSeconds.server) : new Date(expiresAt),
  }
}

/** All faults at once, so that nobody has to send it three times. */
function requireGood({ now, caller }: Tx, session: NewSession): void {
  const { expiresAt, successUrl, cancelUrl } = session
  const faults: Fault[] = [...faultsOfCart(session), ...faultsOfFields(session.customFields)]
  if (expiresAt <= now)
    faults.push({ pointer: '/expires_at', code: 'too_small', detail: 'must be in the future' })
  if (expiresAt > addSeconds(now, lifeSeconds.server))
    faults.push({ pointer: '/expires_at', code: 'too_large', detail: 'must be within 24 hours' })
  for (const [name, url] of Object.entries({ success_url: successUrl, cancel_url: cancelUrl })) {
    if (url === null || isWebAddress(url, caller.mode)) continue
    const detail = 'must be an https address; in the test environment http is possible'
    faults.push({ pointer: `/${name}`, code: 'bad_format', detail })
  }
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
  return transact(deps, caller, async (tx) => pull(tx, await store.lockSession(tx, id), 'expire'))
}

/** Work: the time of a session is over. One that is being paid waits for its payment. */
export async function expireSession(deps: Deps, ref: Ref<'checkout_session'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockSession(tx, ref.id)
    // A message may come late or twice. The row knows whether there is anything to do.
    if (before.dueAt !== null && before.dueAt <= tx.now) await pull(tx, before, 'time_over')
  })
}

/** What can be done with a payment link. `deps` opens a unit of work; `tx` runs in the caller's. */
import type { Deps } from '../../deps.ts'
import { type Caller, systemCaller } from '../../kernel/caller.ts'
import { faultsOfCart, faultsOfFields } from '../../kernel/cart.ts'
import { addSeconds } from '../../kernel/clock.ts'
import { type Fault, refuse, refuseMember, refuseMembers } from '../../kernel/errors.ts'
import type { Id, Ref } from '../../kernel/id.ts'
import { isChange, step } from '../../kernel/machine.ts'
import type { EventDefinition } from '../../platform/db/events.ts'
import type { IdRange } from '../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../platform/db/unit-of-work.ts'
import { requireCustomer } from '../customers/service.ts'
import { routeFor } from '../payment-routes/service/decide.ts'
import { applyInput, cartOf, isSame } from './changes.ts'
import * as events from './events.ts'
import { type Facts, paymentLinkMachine, type Trigger } from './machine.ts'
import { type AddressedLink, type LinkDetails, type PaymentLink, usualLifeSeconds } from './payment-link.ts'
import type { CreatePaymentLink, UpdatePaymentLink } from './schema.ts'
import { isWebAddress } from './service/input.ts'
import { addressed, forgetLink } from './service/public.ts'
import * as store from './store/links.ts'
import * as places from './store/places.ts'

export function createPaymentLink(
  deps: Deps,
  caller: Caller,
  input: CreatePaymentLink,
): Promise<AddressedLink> {
  return transact(deps, caller, async (tx) => {
    const cart = { ...cartOf(input), currency: input.currency }
    const fresh = {
      ...usual,
      ...cart,
      expiresAt: addSeconds(tx.now, usualLifeSeconds),
      captureMethod: input.capture_method ?? 'automatic',
    }
    const details = await withReferences(deps, tx, applyInput(fresh, input), input)
    requireGood(tx, details, [...faultsOfCart(cart)])
    const link = await store.insertLink(tx, details)
    await places.insertPlaces(tx, link.id, link.maxCompletions)
    const after = addressed(deps, link)
    tx.emit(events.paymentLinkCreated, { after })
    return after
  })
}

const usual = {
  maxCompletions: 1,
  customerId: null,
  paymentRouteId: null,
  collect: [],
  customFields: [],
  afterCompletion: { type: 'page', message: null },
  locale: null,
  description: null,
  metadata: {},
} as const

export async function getPaymentLink(deps: Deps, caller: Caller, id: string): Promise<AddressedLink> {
  return addressed(deps, await read(deps, caller, (view) => store.findLink(view, id)))
}

export async function listPaymentLinks(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  filter: { readonly status?: string | undefined },
) {
  const { rows, hasMore } = await read(deps, caller, (view) => store.listLinks(view, range, filter))
  return { rows: rows.map((link) => addressed(deps, link)), hasMore }
}

export function updatePaymentLink(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdatePaymentLink & { readonly ifMatch: number | null },
): Promise<AddressedLink> {
  return changed(deps, caller, async (tx) => {
    // The places first, as whoever fills the last one does: then neither waits for the other for ever.
    if (input.max_completions !== undefined) await places.lockPlaces(tx, id)
    const before = await store.lockLink(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const details = await withReferences(deps, tx, applyInput(before, input), input)
    // Nothing changed, so there is nothing to tell.
    if (isSame(details, before)) return before

    // A link whose time is over can be given more of it, and is then activated.
    requireGood(tx, details, [], input.expires_at !== undefined)
    await resize(tx, before, details)
    const dueAt = before.status === 'active' ? details.expiresAt : null
    const after = await store.updateLink(tx, before, { ...details, dueAt })
    tell(deps, tx, events.paymentLinkUpdated, { before, after })
    return after
  })
}

async function resize(tx: Tx, before: PaymentLink, { maxCompletions }: LinkDetails): Promise<void> {
  if (maxCompletions === before.maxCompletions) return
  if (await places.resizePlaces(tx, before.id, maxCompletions)) return
  const detail = 'must not be less than have paid, or are paying at this moment'
  refuseMember('/max_completions', 'too_small', detail)
}

export function deactivatePaymentLink(deps: Deps, caller: Caller, id: string): Promise<AddressedLink> {
  return changed(deps, caller, async (tx) => pull(deps, tx, await store.lockLink(tx, id), 'deactivate'))
}

export function activatePaymentLink(deps: Deps, caller: Caller, id: string): Promise<AddressedLink> {
  return changed(deps, caller, async (tx) => pull(deps, tx, await store.lockLink(tx, id), 'activate'))
}

/** Work: the time of a link is over. */
export async function expireLink(deps: Deps, ref: Ref<'payment_link'>): Promise<void> {
  await changed(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockLink(tx, ref.id)
    // A message may come late or twice. The row knows whether there is anything to do.
    if (before.dueAt === null || before.dueAt > tx.now) return before
    return pull(deps, tx, before, 'time_over')
  })
}

/** In the unit that knows that somebody has paid. After its commit the link is to be forgotten. */
export async function completePlace(deps: Deps, tx: Tx, id: Id<'payment_link'>): Promise<void> {
  const isFull = await places.fillPlace(tx, id)
  if (!isFull) return
  const link = await store.lockLink(tx, id)
  if (link.status !== 'completed') await pull(deps, tx, link, 'last_completion')
}

/** What was remembered of it is wrong now, at least here; elsewhere it is for a few seconds. */
async function changed(
  deps: Deps,
  caller: Caller,
  body: (tx: Tx) => Promise<PaymentLink>,
): Promise<AddressedLink> {
  // With its address already inside the unit: what is kept for a repeat is what is answered.
  const link = await transact(deps, caller, async (tx) => addressed(deps, await body(tx)))
  forgetLink(deps, link)
  return link
}

/** Whose it is and by which route it goes, if they exist. */
async function withReferences<D extends LinkDetails>(
  deps: Deps,
  tx: Tx,
  details: D,
  { customer_id: customer, payment_route_id: route }: UpdatePaymentLink,
): Promise<D> {
  const customerId = customer ? (await requireCustomer(tx, customer)).id : null
  const paymentRouteId = route ? (await routeFor(deps, tx, route)).id : null
  return {
    ...details,
    ...(customer === undefined ? {} : { customerId }),
    ...(route === undefined ? {} : { paymentRouteId }),
  }
}

/** All faults at once, so that nobody has to send it three times. */
function requireGood(
  { now, caller }: Tx,
  details: LinkDetails,
  known: readonly Fault[],
  checksTime = true,
): void {
  const { expiresAt, customFields, afterCompletion } = details
  const faults: Fault[] = [...known, ...faultsOfFields(customFields)]
  if (checksTime && expiresAt <= now)
    faults.push({ pointer: '/expires_at', code: 'too_small', detail: 'must be in the future' })
  if (afterCompletion.type === 'redirect' && !isWebAddress(afterCompletion.url, caller.mode))
    faults.push({
      pointer: '/after_completion/url',
      code: 'bad_format',
      detail: 'must be an https address; in the test environment http is possible',
    })
  if (faults.length > 0) refuseMembers(faults)
}

const told: { readonly [T in Trigger]: EventDefinition<AddressedLink> } = {
  deactivate: events.paymentLinkDeactivated,
  activate: events.paymentLinkUpdated,
  last_completion: events.paymentLinkCompleted,
  time_over: events.paymentLinkExpired,
}

/** The only writer of `status`: ask the table, write, tell. The caller holds the lock. */
async function pull(deps: Deps, tx: Tx, before: PaymentLink, trigger: Trigger): Promise<PaymentLink> {
  const row = step(paymentLinkMachine, { state: before.status, trigger, facts: factsOf(tx, before) })
  if (!isChange(row)) return before
  const dueAt = row.to === 'active' ? before.expiresAt : null
  const after = await store.updateLink(tx, before, { status: row.to, dueAt })
  tell(deps, tx, told[trigger], { before, after })
  return after
}

function factsOf({ now }: Tx, { expiresAt, completedCount, maxCompletions }: PaymentLink): Facts {
  return { isOver: expiresAt <= now, isFull: maxCompletions !== null && completedCount >= maxCompletions }
}

function tell(
  deps: Deps,
  tx: Tx,
  event: EventDefinition<AddressedLink>,
  { before, after }: { readonly before: PaymentLink; readonly after: PaymentLink },
): void {
  tx.emit(event, { before: addressed(deps, before), after: addressed(deps, after) })
}

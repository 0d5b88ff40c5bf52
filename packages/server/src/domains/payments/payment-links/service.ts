/** The commands on payment links. `deps` opens a transaction; `tx` joins the transaction of the caller. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { faultsOfFields, noSavedMethods, nothingToReduce } from '../../../kernel/cart.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { type Fault, refuse, refuseMember, refuseMembers } from '../../../kernel/errors.ts'
import type { Id, Ref } from '../../../kernel/id.ts'
import { isChange, nextTransition } from '../../../kernel/machine.ts'
import { faultsOfUrl } from '../../../kernel/web-url.ts'
import type { EventDefinition } from '../../../platform/db/events.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { routeFor } from '../../routing/payment-routes/service/decide.ts'
import { requireCardEntryForPages } from '../card-tokens/service.ts'
import { applyInput, isSame } from './changes.ts'
import * as events from './events.ts'
import { type Facts, paymentLinkMachine, type Trigger } from './machine.ts'
import {
  defaultLifetimeSeconds,
  type LinkDetails,
  type LinkWithUrl,
  type PaymentLink,
} from './payment-link.ts'
import type { CreatePaymentLink, UpdatePaymentLink } from './schema.ts'
import { cartFrom, requireBuyer } from './service/cart.ts'
import { invalidateCachedLink, withUrl } from './service/public.ts'
import * as completions from './store/completions.ts'
import * as store from './store/links.ts'

export function createPaymentLink(
  deps: Deps,
  caller: Caller,
  input: CreatePaymentLink,
): Promise<LinkWithUrl> {
  return transact(deps, caller, async (tx) => {
    await requireCardEntryForPages(deps, tx)
    const { cart, faults } = await cartFrom(tx, input, null)
    const newLink = {
      ...defaults,
      ...cart,
      expiresAt: addSeconds(tx.now, defaultLifetimeSeconds),
      captureMethod: input.capture_method ?? 'automatic',
    }
    const details = await withReferences(deps, tx, applyInput(newLink, input), input)
    requireValid(tx, details, faults)
    const link = await store.insertLink(tx, details)
    await completions.insertCompletions(tx, link.id, link.maxCompletions)
    const after = withUrl(deps, link)
    tx.emit(events.paymentLinkCreated, { after })
    return after
  })
}

const defaults = {
  maxCompletions: 1,
  customerId: null,
  paymentRouteId: null,
  collect: [],
  customFields: [],
  savedMethods: noSavedMethods,
  allowPromotionCodes: false,
  afterCompletion: { type: 'page', message: null },
  locale: null,
  description: null,
  metadata: {},
} as const

export async function getPaymentLink(deps: Deps, caller: Caller, id: string): Promise<LinkWithUrl> {
  return withUrl(deps, await read(deps, caller, (view) => store.findLink(view, id)))
}

export async function listPaymentLinks(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  filter: { readonly status?: string | undefined },
) {
  const { rows, hasMore } = await read(deps, caller, (view) => store.listLinks(view, range, filter))
  return { rows: rows.map((link) => withUrl(deps, link)), hasMore }
}

export function updatePaymentLink(
  deps: Deps,
  caller: Caller,
  id: string,
  input: UpdatePaymentLink & { readonly ifMatch: number | null },
): Promise<LinkWithUrl> {
  return changeLink(deps, caller, async (tx) => {
    // Lock the completions before the link, in the same order as `recordCompletion`, to avoid deadlocks.
    if (input.max_completions !== undefined) await completions.lockCompletions(tx, id)
    const before = await store.lockLink(tx, id)
    if (input.ifMatch !== null && input.ifMatch !== before.version) refuse('version_mismatch')
    const details = await withReferences(deps, tx, applyInput(before, input), input)
    // Nothing changed, so no event is emitted.
    if (isSame(details, before)) return before

    // Other members of an expired link can be changed without a new expiry.
    requireValid(tx, details, [], input.expires_at !== undefined)
    await changeLimit(tx, before, details)
    const dueAt = before.status === 'active' ? details.expiresAt : null
    const after = await store.updateLink(tx, before, { ...details, dueAt })
    emitLinkEvent(deps, tx, events.paymentLinkUpdated, { before, after })
    return after
  })
}

async function changeLimit(tx: Tx, before: PaymentLink, { maxCompletions }: LinkDetails): Promise<void> {
  if (maxCompletions === before.maxCompletions) return
  if (await completions.updateLimit(tx, before.id, maxCompletions)) return
  const detail = 'must not be less than the number of completed payments and payments in progress'
  refuseMember('/max_completions', 'too_small', detail)
}

export function deactivatePaymentLink(deps: Deps, caller: Caller, id: string): Promise<LinkWithUrl> {
  return changeLink(deps, caller, async (tx) =>
    transition(deps, tx, await store.lockLink(tx, id), 'deactivate'),
  )
}

export function activatePaymentLink(deps: Deps, caller: Caller, id: string): Promise<LinkWithUrl> {
  return changeLink(deps, caller, async (tx) =>
    transition(deps, tx, await store.lockLink(tx, id), 'activate'),
  )
}

/** Worker: expires a link. */
export async function expireLink(deps: Deps, ref: Ref<'payment_link'>): Promise<void> {
  await changeLink(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockLink(tx, ref.id)
    // The message may be late or a duplicate, so check the due time of the row.
    if (before.dueAt === null || before.dueAt > tx.now) return before
    return transition(deps, tx, before, 'expiry_reached')
  })
}

/** Call it in the transaction that records the payment, and `invalidateCachedLink` after its commit. */
export async function recordCompletion(deps: Deps, tx: Tx, id: Id<'payment_link'>): Promise<void> {
  const isLimitReached = await completions.completeReservation(tx, id)
  if (!isLimitReached) return
  const link = await store.lockLink(tx, id)
  if (link.status !== 'completed') await transition(deps, tx, link, 'last_completion')
}

/**
 * Runs the change in a transaction and then removes the link from the cache of this process. Other processes
 * use their cached link for a few more seconds.
 */
async function changeLink(
  deps: Deps,
  caller: Caller,
  body: (tx: Tx) => Promise<PaymentLink>,
): Promise<LinkWithUrl> {
  // Add the URL inside the transaction, so that it is part of the response that is stored for repeated
  // requests.
  const link = await transact(deps, caller, async (tx) => withUrl(deps, await body(tx)))
  invalidateCachedLink(deps, link)
  return link
}

/** Looks up the customer and the route, and adds their ids. */
async function withReferences<D extends LinkDetails & Pick<PaymentLink, 'mode'>>(
  deps: Deps,
  tx: Tx,
  details: D,
  { customer_id: customer, payment_route_id: route }: UpdatePaymentLink,
): Promise<D> {
  const customerId = customer ? await requireBuyer(tx, details.mode, customer) : null
  const paymentRouteId = route ? (await routeFor(deps, tx, route)).id : null
  return {
    ...details,
    ...(customer === undefined ? {} : { customerId }),
    ...(route === undefined ? {} : { paymentRouteId }),
  }
}

/** Reports all validation errors together. */
function requireValid(
  { now, caller }: Tx,
  details: LinkDetails & Pick<PaymentLink, 'mode'>,
  otherFaults: readonly Fault[],
  checksExpiry = true,
): void {
  const { mode, expiresAt, customFields, afterCompletion, allowPromotionCodes } = details
  const faults: Fault[] = [...otherFaults, ...faultsOfFields(customFields)]
  if (checksExpiry && expiresAt <= now)
    faults.push({ pointer: '/expires_at', code: 'too_small', detail: 'must be in the future' })
  if (afterCompletion.type === 'redirect')
    faults.push(...faultsOfUrl('/after_completion/url', afterCompletion.url, caller.mode))
  if (mode === 'setup' && allowPromotionCodes) faults.push(nothingToReduce)
  if (faults.length > 0) refuseMembers(faults)
}

const eventByTrigger: { readonly [T in Trigger]: EventDefinition<LinkWithUrl> } = {
  deactivate: events.paymentLinkDeactivated,
  activate: events.paymentLinkUpdated,
  last_completion: events.paymentLinkCompleted,
  expiry_reached: events.paymentLinkExpired,
}

/** The only function that changes `status`. The caller must have locked the link. */
async function transition(deps: Deps, tx: Tx, before: PaymentLink, trigger: Trigger): Promise<PaymentLink> {
  const row = nextTransition(paymentLinkMachine, {
    state: before.status,
    trigger,
    facts: factsOf(tx, before),
  })
  if (!isChange(row)) return before
  const dueAt = row.to === 'active' ? before.expiresAt : null
  const after = await store.updateLink(tx, before, { status: row.to, dueAt })
  emitLinkEvent(deps, tx, eventByTrigger[trigger], { before, after })
  return after
}

function factsOf({ now }: Tx, { expiresAt, completedCount, maxCompletions }: PaymentLink): Facts {
  return {
    hasExpired: expiresAt <= now,
    isAtLimit: maxCompletions !== null && completedCount >= maxCompletions,
  }
}

function emitLinkEvent(
  deps: Deps,
  tx: Tx,
  event: EventDefinition<LinkWithUrl>,
  { before, after }: { readonly before: PaymentLink; readonly after: PaymentLink },
): void {
  tx.emit(event, { before: withUrl(deps, before), after: withUrl(deps, after) })
}

/**
 * Cancellations and withdrawals that subscribers submit without signing in. Anyone can submit one, so it changes
 * nothing until the subscriber opens the link that is sent to the address of the customer, or the merchant accepts
 * it. Responses do not depend on whether the address belongs to a customer, and the same statements run in both
 * cases.
 */
import { createHmac } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import { networkOf } from '../../../kernel/network.ts'
import type { IdRange } from '../../../platform/db/keyset.ts'
import { withoutKey } from '../../../platform/db/resumable.ts'
import { read, type Tx, transact } from '../../../platform/db/unit-of-work.ts'
import { unlessRefused } from '../../../platform/refusals.ts'
import { createMails } from '../../payments/mails/service.ts'
import { cancelSubscriptionAnd } from '../subscriptions/service/commands.ts'
import { getSubscription } from '../subscriptions/service/read.ts'
import {
  type CancellationRequest,
  isDecidedByMerchant,
  matchOf,
  type RequestForm,
  type RequestStatus,
} from './cancellation-request.ts'
import { cancellationRequestReceived, cancellationRequestUpdated } from './events.ts'
import type { AcceptCancellationRequest, RejectCancellationRequest } from './schema.ts'
import * as store from './store.ts'

/** Limits per hour. */
const maxRequests = { byEmail: 5, byNetwork: 20 }

export type Declaration = {
  readonly form: RequestForm
  /** The IP address of the subscriber. */
  readonly address: string
  readonly locale: string
}

/** Null if there were too many requests for the address or from the network. */
export function receiveRequest(
  deps: Deps,
  caller: Caller,
  { form, address, locale }: Declaration,
): Promise<CancellationRequest | null> {
  // Loopback addresses belong to a developer, or to a proxy that does not forward addresses.
  const network = /^(::1$|(::ffff:)?127\.)/i.test(address) ? undefined : networkOf(address)
  const hashes = {
    emailHash: hashOf(deps, caller, `email ${form.email.toLowerCase()}`),
    networkHash: network === undefined ? null : hashOf(deps, caller, `network ${network}`),
  }
  return transact(deps, caller, async (tx) => {
    const { byEmail, byNetwork } = await store.lockRequested(tx, hashes, maxRequests)
    if (byEmail >= maxRequests.byEmail || byNetwork >= maxRequests.byNetwork) return null
    const match = matchOf(await store.findCandidates(tx, form.email, form.contract), form.contract)
    const after = await store.insertRequest(tx, form, { match, hashes })
    tx.emit(cancellationRequestReceived, { after })
    await createReceipt(tx, after, { recipient: match?.email ?? form.email, locale })
    return after
  })
}

function hashOf({ linkKeys: [key] }: Deps, { workspaceId }: Caller, text: string): Buffer {
  return createHmac('sha256', key as Uint8Array)
    .update(`cancellation request ${workspaceId} ${text}`)
    .digest()
}

/**
 * The statement of receipt. It has a link only if the address belongs to the customer of the subscription. The link is sent
 * to the stored address of the customer: an address that differs only in case may belong to another mailbox.
 */
async function createReceipt(
  tx: Tx,
  request: CancellationRequest,
  { recipient, locale }: { readonly recipient: string; readonly locale: string },
): Promise<void> {
  const { id: objectId, customerId, type, contract, receivedAt } = request
  const facts = {
    at: receivedAt.toISOString(),
    declaration: type,
    contract,
    reference: objectId,
    ...(customerId === null ? {} : { requestId: objectId }),
  }
  const kind = 'cancellation_received'
  await createMails(tx, [{ kind, objectId, step: 0, customerId, recipient, locale, facts }])
}

export function getRequest(deps: Deps, caller: Caller, id: string): Promise<CancellationRequest> {
  return read(deps, caller, (view) => store.findRequest(view, id))
}

export function listRequests(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  { status }: { readonly status?: RequestStatus },
) {
  return read(deps, caller, (view) => store.listRequests(view, range, status))
}

export const isOpen = ({ status }: CancellationRequest) => status === 'received' || status === 'confirmed'

/**
 * The subscriber has opened the link in the e-mail. A cancellation commits its preview; other requests wait for the
 * merchant. Null if the preview is no longer valid, so that nothing was changed.
 */
export async function confirmRequest(
  deps: Deps,
  caller: Caller,
  id: Id<'cancellation_request'>,
  previewToken: string,
): Promise<CancellationRequest | null> {
  const request = await getRequest(deps, caller, id)
  const { subscriptionId } = request
  if (!isOpen(request) || subscriptionId === null) return request
  if (isDecidedByMerchant(request)) return transact(deps, caller, (tx) => markConfirmed(tx, id))
  const at = await cancelTimeOf(deps, caller, subscriptionId)
  const input = { at, preview_token: previewToken, ifMatch: null }
  const completion = { id, subscriptionId, isConfirmed: true }
  const cancelled = await unlessRefused([...impossible, 'preview_stale', 'conflict'], () =>
    cancelAndComplete(deps, caller, completion, input),
  )
  if (cancelled !== null) return getRequest(deps, caller, id)
  if (await isEnding(deps, caller, subscriptionId)) return completeEnding(deps, caller, completion)
  // The merchant may have rejected the request in the meantime.
  const current = await getRequest(deps, caller, id)
  return isOpen(current) ? null : current
}

/** The errors if the subscription cannot be cancelled, for example because it has already been cancelled. */
const impossible = ['invalid_state', 'scheduled_change_conflict'] as const

/** When a cancellation takes effect. A paused subscription has no current period, so it ends immediately. */
export async function cancelTimeOf(deps: Deps, caller: Caller, id: Id<'subscription'>) {
  return (await getSubscription(deps, caller, id)).status === 'paused' ? 'now' : 'period_end'
}

async function isEnding(deps: Deps, caller: Caller, id: string): Promise<boolean> {
  const { status, scheduledChange } = await getSubscription(deps, caller, id)
  return status === 'cancelled' || scheduledChange?.action === 'cancel'
}

async function markConfirmed(tx: Tx, id: Id<'cancellation_request'>): Promise<CancellationRequest> {
  const before = await store.lockRequest(tx, id)
  if (before.status !== 'received') return before
  const after = await store.updateRequest(tx, before, { status: 'confirmed', confirmedAt: tx.now })
  tx.emit(cancellationRequestUpdated, { before, after })
  return after
}

type Completion = {
  readonly id: Id<'cancellation_request'>
  readonly subscriptionId: Id<'subscription'>
  /** Whether the subscriber has confirmed the request. False if the merchant has accepted it. */
  readonly isConfirmed: boolean
}

/**
 * Cancels and completes in one transaction, so that a request that is rejected concurrently cancels nothing.
 */
function cancelAndComplete(
  deps: Deps,
  caller: Caller,
  completion: Completion,
  input: Parameters<typeof cancelSubscriptionAnd>[3]['input'],
) {
  return cancelSubscriptionAnd(deps, caller, completion.subscriptionId, {
    input,
    record: async (tx, subscription) => {
      const before = await store.lockRequest(tx, completion.id)
      if (!isOpen(before)) return refuseClosed(before)
      await complete(tx, before, completion, subscription)
    },
  })
}

/**
 * Completes a request whose subscription has ended or is scheduled to end, so that there is nothing to
 * cancel.
 */
async function completeEnding(
  deps: Deps,
  caller: Caller,
  completion: Completion,
): Promise<CancellationRequest> {
  const subscription = await getSubscription(deps, caller, completion.subscriptionId)
  return transact(deps, caller, async (tx) => {
    const before = await store.lockRequest(tx, completion.id)
    return isOpen(before) ? complete(tx, before, completion, subscription) : before
  })
}

async function complete(
  tx: Tx,
  before: CancellationRequest,
  { id, subscriptionId, isConfirmed }: Completion,
  subscription: Ending & { readonly customerId: Id<'customer'> },
): Promise<CancellationRequest> {
  const confirmedAt = isConfirmed ? tx.now : before.confirmedAt
  const changes = { status: 'completed', subscriptionId, confirmedAt, closedAt: tx.now } as const
  const after = await store.updateRequest(tx, before, changes)
  tx.emit(cancellationRequestUpdated, { before, after })
  const facts = { at: (endOf(subscription) ?? tx.now).toISOString(), reference: id }
  const { customerId } = subscription
  const mail = { objectId: id, step: 0, customerId, recipient: null, locale: null, facts }
  await createMails(tx, [{ kind: 'cancellation_confirmed', ...mail }])
  return after
}

type Ending = Pick<
  Awaited<ReturnType<typeof getSubscription>>,
  'scheduledChange' | 'currentPeriod' | 'trial' | 'status'
>

/** When a subscription with a scheduled cancellation ends; null if it has ended. */
export function endOf({ status, scheduledChange, currentPeriod, trial }: Ending): Date | null {
  if (status === 'cancelled') return null
  const at = scheduledChange?.at ?? 'period_end'
  return at === 'period_end' ? (currentPeriod?.endAt ?? trial?.endAt ?? null) : at
}

/**
 * The merchant accepts the request, which cancels the subscription. Only the last transaction uses the idempotency
 * key and stores the response. If the process stops before that, accepting the completed request again returns the
 * request.
 */
export async function acceptRequest(
  deps: Deps,
  caller: Caller,
  id: string,
  input: AcceptCancellationRequest,
): Promise<CancellationRequest> {
  const request = await getRequest(deps, caller, id)
  const subscriptionId = (input.subscription_id ?? request.subscriptionId) as Id<'subscription'> | null
  if (!isOpen(request))
    return transact(deps, caller, (tx) => requireCompleted(tx, request.id, subscriptionId))
  if (subscriptionId === null)
    return refuseMember('/subscription_id', 'required', 'is required, because no subscription matched')
  const at = input.at ?? (await defaultTimeOf(deps, caller, request, subscriptionId))
  const { preview_token } = input
  const cancel = { at, ifMatch: null, ...(preview_token === undefined ? {} : { preview_token }) }
  const completion = { id: request.id, subscriptionId, isConfirmed: false }
  const cancelled = await unlessRefused(impossible, () =>
    cancelAndComplete(deps, withoutKey(caller), completion, cancel),
  )
  if (cancelled === null && (await isEnding(deps, caller, subscriptionId)))
    await completeEnding(deps, withoutKey(caller), completion)
  return transact(deps, caller, (tx) => requireCompleted(tx, request.id, subscriptionId))
}

/** Refuses if the request was rejected, was completed for another subscription, or could not be completed. */
async function requireCompleted(
  tx: Tx,
  id: Id<'cancellation_request'>,
  subscriptionId: Id<'subscription'> | null,
): Promise<CancellationRequest> {
  const request = await store.findRequest(tx, id)
  if (isOpen(request))
    refuse('invalid_state', { detail: 'The subscription cannot be cancelled in its current status.' })
  const isCompleted = request.status === 'completed' && request.subscriptionId === subscriptionId
  return isCompleted ? request : refuseClosed(request)
}

async function defaultTimeOf(
  deps: Deps,
  caller: Caller,
  { type }: CancellationRequest,
  id: Id<'subscription'>,
): Promise<'now' | 'period_end'> {
  return type === 'cancellation' ? cancelTimeOf(deps, caller, id) : 'now'
}

export function rejectRequest(
  deps: Deps,
  caller: Caller,
  id: string,
  { note }: RejectCancellationRequest,
): Promise<CancellationRequest> {
  return transact(deps, caller, async (tx) => {
    const before = await store.lockRequest(tx, id)
    if (!isOpen(before)) return refuseClosed(before)
    const changes = { status: 'rejected', note: note ?? null, closedAt: tx.now } as const
    const after = await store.updateRequest(tx, before, changes)
    tx.emit(cancellationRequestUpdated, { before, after })
    return after
  })
}

function refuseClosed({ status }: CancellationRequest): never {
  return refuse('invalid_state', {
    detail: `The cancellation request is already ${status}.`,
    current_status: status,
    allowed_actions: [],
  })
}

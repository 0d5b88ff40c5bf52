/** Portal sessions, and what customers may do in them. */
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { customerPagesOf } from '../../../../kernel/customer-pages.ts'
import { refuse, refuseMember, refuseMembers } from '../../../../kernel/errors.ts'
import type { Id, Mode, Ref } from '../../../../kernel/id.ts'
import { readSlug, slugOf } from '../../../../kernel/object-slug.ts'
import { faultsOfUrl } from '../../../../kernel/web-url.ts'
import { read, type Tx, transact } from '../../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../../../access/audit/service.ts'
import { currentTime } from '../../../payments/checkout-sessions/service/current-time.ts'
import { callerForPayer } from '../../../payments/checkout-sessions/service/payer.ts'
import { requireCustomer } from '../../../payments/customers/service.ts'
import { requirePrice } from '../../products/service.ts'
import { requireSubscriptionOf } from '../../subscriptions/service/read.ts'
import { type PortalConfiguration, type PortalSession, sessionSeconds } from '../portal.ts'
import type { CreatedPortalSession, CreatePortalSession, UpdatePortalConfiguration } from '../schema.ts'
import * as store from '../store.ts'

/** The slug consists of the signed id of the session, and of its secret. */
const idCharacters = 64
const secretBytes = 16

export function createPortalSession(
  deps: Deps,
  caller: Caller,
  { customer_id: customer, return_url: returnUrl, flow }: CreatePortalSession,
): Promise<CreatedPortalSession> {
  return transact(deps, caller, async (tx) => {
    const faults = faultsOfUrl('/return_url', returnUrl ?? null, caller.mode)
    if (faults.length > 0) refuseMembers(faults)
    const { id: customerId } = await requireCustomer(tx, customer)
    const path = await pathOfFlow(tx, customerId, flow)
    const secret = randomBytes(secretBytes).toString('base64url')
    const session = await store.insertSession(tx, {
      customerId,
      secretHash: hashOf(secret),
      returnUrl: returnUrl ?? null,
      expiresAt: addSeconds(tx.now, sessionSeconds),
    })
    await recordAuditEntry(tx, 'portal_session.created', {
      objectId: session.id,
      details: { customer_id: customerId },
    })
    const { workspaceId, id } = session
    const slug = slugOf(deps.linkKeys, { workspaceId, id }) + secret
    return { session, url: `${deps.addresses[caller.mode]}/p/${slug}${path}` }
  })
}

async function pathOfFlow(
  tx: Tx,
  customerId: Id<'customer'>,
  flow: CreatePortalSession['flow'],
): Promise<string> {
  if (flow === undefined) return ''
  if (flow.type === 'update_payment_method') return '/card'
  if (flow.subscription_id === undefined)
    return refuseMember('/flow/subscription_id', 'required', `is required for the flow ${flow.type}`)
  const { id } = await requireSubscriptionOf(tx, customerId, flow.subscription_id, '/flow/subscription_id')
  return `/subscriptions/${id}/${flow.type}`
}

function hashOf(secret: string): Buffer {
  return createHash('sha256').update(secret).digest()
}

export type Portal = { readonly session: PortalSession; readonly caller: Caller; readonly url: string }
export type OpenedPortal =
  | { readonly is: 'open'; readonly portal: Portal }
  | { readonly is: 'expired'; readonly ref: Ref }

type PortalRequest = {
  readonly mode: Mode
  readonly requestId: Id<'request'>
  readonly params: Readonly<Record<string, string>>
}

/** An invalid slug is refused without a database query. The error does not reveal which part is wrong. */
export async function openPortal(deps: Deps, request: PortalRequest): Promise<OpenedPortal> {
  const { slug = '' } = request.params
  const [signed, secret] = [slug.slice(0, idCharacters), slug.slice(idCharacters)]
  const ref = readSlug(deps.linkKeys, 'portal_session', request.mode, signed) ?? refuseMissing()
  const caller = callerForPayer(request, ref)
  const session = await read(deps, caller, (view) => store.findSession(view, ref.id))
  // The session was deleted: expired sessions are deleted after a day.
  if (session === null) return { is: 'expired', ref }
  if (!timingSafeEqual(hashOf(secret), session.secretHash)) refuseMissing()
  if (session.expiresAt <= currentTime(deps)) return { is: 'expired', ref }
  return { is: 'open', portal: { session, caller, url: `${deps.addresses[request.mode]}/p/${slug}` } }
}

function refuseMissing(): never {
  return refuse('not_found', { detail: 'There is no such page.' })
}

type ShownConfiguration = PortalConfiguration & { readonly cancellationUrl: string }

export async function getConfiguration(deps: Deps, caller: Caller): Promise<ShownConfiguration> {
  return withUrl(deps, caller, await read(deps, caller, store.readConfiguration))
}

function withUrl(
  deps: Deps,
  { workspaceId }: Caller,
  configuration: PortalConfiguration,
): ShownConfiguration {
  return { ...configuration, cancellationUrl: customerPagesOf(deps, workspaceId).cancellationPage() }
}

export function updateConfiguration(
  deps: Deps,
  caller: Caller,
  input: UpdatePortalConfiguration,
): Promise<ShownConfiguration> {
  return transact(deps, caller, async (tx) => {
    const before = await store.readConfiguration(tx)
    const after: PortalConfiguration = {
      paymentMethods: input.payment_methods ?? before.paymentMethods,
      invoices: input.invoices ?? before.invoices,
      address: input.address ?? before.address,
      cancel: input.cancel ?? before.cancel,
      pause: input.pause ?? before.pause,
      switchPrices:
        input.switch_plan === undefined
          ? before.switchPrices
          : await requireRecurring(tx, input.switch_plan?.price_ids ?? []),
    }
    await store.writeConfiguration(tx, after)
    const { switchPrices, ...switches } = after
    await recordAuditEntry(tx, 'portal_configuration.updated', {
      objectId: caller.workspaceId,
      details: {
        payment_methods: switches.paymentMethods,
        invoices: switches.invoices,
        address: switches.address,
        cancel: switches.cancel,
        pause: switches.pause,
        switch_prices: switchPrices.join(' '),
      },
    })
    return withUrl(deps, caller, after)
  })
}

async function requireRecurring(tx: Tx, ids: readonly string[]): Promise<Id<'price'>[]> {
  const prices: Id<'price'>[] = []
  for (const [index, text] of ids.entries()) {
    const pointer = `/switch_plan/price_ids/${index}`
    const { id, recurring, meterId } = await requirePrice(tx, text, pointer)
    if (recurring === null) refuseMember(pointer, 'not_together', 'must be a recurring price')
    if (meterId !== null) refuseMember(pointer, 'not_together', 'must be a price without a meter')
    if (!prices.includes(id)) prices.push(id)
  }
  return prices
}

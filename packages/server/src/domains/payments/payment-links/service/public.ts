/**
 * A link as anyone who has its URL may see it. Links are read far more often than they change, so each
 * process caches them for a few seconds, and opening a popular page needs no query.
 */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { expectedAmount } from '../../../../kernel/cart.ts'
import { machineTime } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { type Id, type Mode, modeOf, type Ref } from '../../../../kernel/id.ts'
import type { Cache } from '../../../../platform/cache.ts'
import { read, type Tx, type View } from '../../../../platform/db/unit-of-work.ts'
import { findSeller, type Seller } from '../../../access/organizations/service.ts'
import {
  type CardEntry,
  type FieldsChoice,
  findCardEntry,
  findOtherMethods,
  type PaymentEntry,
} from '../../card-tokens/service.ts'
import type { Status } from '../machine.ts'
import type { LinkWithUrl, PaymentLink } from '../payment-link.ts'
import { presentPublicLink } from '../schema/public.ts'
import { readSlug, slugOf } from '../slug.ts'
import * as completions from '../store/completions.ts'
import { findLink } from '../store/links.ts'
import { currentOffer } from './offer.ts'

/** A cache entry: the link, its seller, and the serialized response for the status. */
type CachedLink = {
  readonly link: PaymentLink
  readonly seller: Seller
  readonly text: string
  readonly status: Status
} & PaymentEntry

declare module '../../../../deps.ts' {
  interface Caches {
    /** Payment links as payers see them, by slug. */
    readonly publicLinks: Cache<CachedLink>
  }
}

export function withUrl(
  { addresses, linkKeys }: Pick<Deps, 'addresses' | 'linkKeys'>,
  link: PaymentLink,
): LinkWithUrl {
  const { workspaceId, id } = link
  const mode = systemCaller({ workspaceId, id }).mode
  return { ...link, url: `${addresses[mode]}/l/${slugOf(linkKeys, { workspaceId, id })}` }
}

/** The link this slug identifies. Invalid slugs are refused without a database query. */
export function requireSlug({ linkKeys }: Deps, mode: Mode, slug: string): Ref<'payment_link'> {
  const detail = 'There is no payment link at this address.'
  return readSlug(linkKeys, mode, slug) ?? refuse('not_found', { detail })
}

/**
 * Returns the public view as JSON. For a popular link, the signature is verified and the response serialized
 * only once every few seconds.
 */
export async function showLink(deps: Deps, mode: Mode, slug: string, choice: FieldsChoice): Promise<string> {
  const cached = deps.publicLinks.peek(slug)
  // Invalid slugs are not cached: they must not evict entries in use.
  const entry = await (cached ?? readThroughCache(deps, requireSlug(deps, mode, slug), slug))
  const status = currentStatus(deps, entry.link)
  if (!isShowing(entry.cardEntry, choice)) return showWithChoice(deps, entry, status, choice)
  return status === entry.status ? entry.text : serialize(deps, entry, status)
}

/** Whether the cached card entry is the one that the page shows, or the page has not chosen one yet. */
function isShowing(cardEntry: CardEntry | null, { skipped, preferred }: FieldsChoice): boolean {
  const account = cardEntry?.provider_account_id ?? null
  return account === null || (!skipped.includes(account) && (preferred ?? account) === account)
}

async function showWithChoice(
  deps: Deps,
  { link, seller }: CachedLink,
  status: Status,
  choice: FieldsChoice,
): Promise<string> {
  const entry = await read(deps, systemCaller(link), (view) => entryOf(deps, view, link, choice))
  return serialize(deps, { link, seller, ...entry }, status)
}

async function entryOf(
  deps: Deps,
  view: View,
  link: PaymentLink,
  choice: FieldsChoice,
): Promise<PaymentEntry> {
  const { id, currency, captureMethod, paymentRouteId, customerId, metadata } = link
  const now = currentTime(deps)
  const payment = {
    // The key contains the time, so that a split distributes the payers of a link among its accounts.
    key: `${id} ${now.getTime()}`,
    checkoutSessionId: null,
    paymentLinkId: id,
    amount: expectedAmount(link),
    currency,
    captureMethod,
    paymentRouteId,
    customerId,
    metadata,
  }
  const timed = { ...view, now }
  return {
    cardEntry: await findCardEntry(deps, timed, payment, choice),
    otherMethods: await findOtherMethods(deps, timed, link.mode, payment),
  }
}

export async function findCachedLink(deps: Deps, ref: Ref<'payment_link'>): Promise<PaymentLink> {
  return (await readThroughCache(deps, ref, slugOf(deps.linkKeys, ref))).link
}

function readThroughCache(deps: Deps, ref: Ref<'payment_link'>, slug: string): Promise<CachedLink> {
  return deps.publicLinks.get(slug, async () => {
    const [{ link, ...entry }, seller] = await Promise.all([
      read(deps, systemCaller(ref), async (view) => {
        const found = await findLink(view, ref.id)
        const choice = { skipped: [], preferred: null }
        return { link: found, ...(await entryOf(deps, view, found, choice)) }
      }),
      findSeller(deps, ref.workspaceId),
    ])
    const status = currentStatus(deps, link)
    const parts = { link, seller, ...entry }
    return { ...parts, status, text: serialize(deps, parts, status) }
  })
}

type LinkParts = Pick<CachedLink, 'link' | 'seller'> & PaymentEntry

function serialize(deps: Deps, parts: LinkParts, status: Status): string {
  const { link, seller, cardEntry, otherMethods } = parts
  const offer = currentOffer(link, currentTime(deps))
  return JSON.stringify(
    presentPublicLink({ link, seller, status, cardEntry, otherMethods, offer }, modeOf(link.id)),
  )
}

export function invalidateCachedLink({ publicLinks, linkKeys }: Deps, ref: Ref<'payment_link'>): void {
  publicLinks.forget(slugOf(linkKeys, ref))
}

/** A link that has just expired counts as expired, even if it is stored as active. */
function currentStatus(deps: Deps, { status, expiresAt }: PaymentLink): Status {
  return status === 'active' && expiresAt <= currentTime(deps) ? 'expired' : status
}

function currentTime({ clock }: Deps): Date {
  const reading = clock.read()
  return reading.from === 'database' ? machineTime() : reading.at
}

/** The cached link, for opening the page. Refuses if the link does not accept payments. */
export async function requireCachedActive(deps: Deps, ref: Ref<'payment_link'>): Promise<PaymentLink> {
  const link = await findCachedLink(deps, ref)
  const status = currentStatus(deps, link)
  return status === 'active' ? link : refuseStatus(status)
}

/** The stored link, for paying. Refuses if the link does not accept payments. */
export async function requireActiveLink(tx: Tx, id: Id<'payment_link'>): Promise<PaymentLink> {
  const link = await findLink(tx, id)
  if (link.status === 'active' && link.expiresAt > tx.now) return link
  return refuseStatus(link.status === 'active' ? 'expired' : link.status)
}

function refuseStatus(status: Status): never {
  return refuse('invalid_state', {
    detail: `This payment link is ${status} and does not accept payments.`,
    current_status: status,
    allowed_actions: [],
  })
}

/**
 * Call it as late in the transaction as possible: other payers of the link wait until the transaction ends.
 */
export async function reserveCompletion(tx: Tx, id: Id<'payment_link'>): Promise<void> {
  if (!(await completions.reserveCompletion(tx, id))) refuse('no_places_left')
}

export function releaseCompletion(tx: Tx, id: Id<'payment_link'>): Promise<void> {
  return completions.releaseCompletion(tx, id)
}

export { fieldsChoiceOf } from '../../card-tokens/service.ts'
export type { PaymentLink } from '../payment-link.ts'

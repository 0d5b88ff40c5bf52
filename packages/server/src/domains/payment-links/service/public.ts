/**
 * A link as anybody may see it who has its address. It is read far more often than it changes, so each process
 * remembers it for a few seconds: opening a page that many look at costs no statement.
 */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { machineTime } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import { type Id, type Mode, modeOf, type Ref } from '../../../kernel/id.ts'
import { read, type Tx } from '../../../platform/db/unit-of-work.ts'
import { findSeller, type Seller } from '../../organizations/service.ts'
import type { Status } from '../machine.ts'
import type { AddressedLink, PaymentLink } from '../payment-link.ts'
import { presentPublicLink } from '../schema/public.ts'
import { readSlug, slugOf } from '../slug.ts'
import { findLink } from '../store/links.ts'
import * as places from '../store/places.ts'

/** What is remembered of an address: the link, and the answer to whoever asks for it, ready to be sent. */
type Shown = {
  readonly link: PaymentLink
  readonly seller: Seller
  readonly text: string
  readonly status: Status
}

export function addressed(
  { addresses, linkKeys }: Pick<Deps, 'addresses' | 'linkKeys'>,
  link: PaymentLink,
): AddressedLink {
  const { workspaceId, id } = link
  const mode = systemCaller({ workspaceId, id }).mode
  return { ...link, url: `${addresses[mode]}/l/${slugOf(linkKeys, { workspaceId, id })}` }
}

/** The link of an address. Junk is refused without asking anybody. */
export function requireSlug({ linkKeys }: Deps, mode: Mode, slug: string): Ref<'payment_link'> {
  const nothing = { detail: 'There is nothing at this address.' }
  return readSlug(linkKeys, mode, slug) ?? refuse('not_found', nothing)
}

/** As JSON. Of an address that many open the proof is checked, and the text made, once in a few seconds. */
export async function showLink(deps: Deps, mode: Mode, slug: string): Promise<string> {
  const known = deps.publicLinks.peek(slug)
  // Junk is never remembered: it must not push out what is in use.
  const ref = known === null ? requireSlug(deps, mode, slug) : null
  const shown = (await (known ?? recall(deps, ref as Ref<'payment_link'>, slug))) as Shown
  const status = statusNow(deps, shown.link)
  return status === shown.status ? shown.text : textOf(shown, status)
}

export async function recallLink(deps: Deps, ref: Ref<'payment_link'>): Promise<PaymentLink> {
  return (await recall(deps, ref, slugOf(deps.linkKeys, ref))).link
}

function recall(deps: Deps, ref: Ref<'payment_link'>, slug: string): Promise<Shown> {
  return deps.publicLinks.get(slug, async () => {
    const [link, seller] = await Promise.all([
      read(deps, systemCaller(ref), (view) => findLink(view, ref.id)),
      findSeller(deps, ref.workspaceId),
    ])
    const status = statusNow(deps, link)
    return { link, seller, status, text: textOf({ link, seller }, status) }
  }) as Promise<Shown>
}

function textOf({ link, seller }: Pick<Shown, 'link' | 'seller'>, status: Status): string {
  return JSON.stringify(presentPublicLink({ link, seller, status }, modeOf(link.id)))
}

export function forgetLink({ publicLinks, linkKeys }: Deps, ref: Ref<'payment_link'>): void {
  publicLinks.forget(slugOf(linkKeys, ref))
}

/** A link whose time is over is that, also in the moment before it is written down. */
function statusNow({ clock }: Deps, { status, expiresAt }: PaymentLink): Status {
  const reading = clock.read()
  const now = reading.from === 'database' ? machineTime() : reading.at
  return status === 'active' && expiresAt <= now ? 'expired' : status
}

/** For whoever is about to pay: the link as it is, if it can be paid. */
export async function requireActive(tx: Tx, id: Id<'payment_link'>): Promise<PaymentLink> {
  const link = await findLink(tx, id)
  if (link.status === 'active' && link.expiresAt > tx.now) return link
  return refuse('invalid_state', {
    detail: 'This payment link can be paid no more.',
    current_status: link.status === 'active' ? 'expired' : link.status,
    allowed_actions: [],
  })
}

/** As late in the unit as possible: whoever pays by the same link waits for its end. */
export async function takePlace(tx: Tx, id: Id<'payment_link'>): Promise<void> {
  if (!(await places.takePlace(tx, id))) refuse('no_places_left')
}

export function returnPlace(tx: Tx, id: Id<'payment_link'>): Promise<void> {
  return places.returnPlace(tx, id)
}

export type { PaymentLink } from '../payment-link.ts'

/**
 * Saved cards of returning payers. They are shown if the merchant's server created the session for a customer. All
 * other payers first enter a code that is e-mailed to the customer: a payment link or an e-mail address does not
 * identify the payer. The response to a request for a code is the same for every address, and the address is looked
 * up after the response.
 */
import { createHmac } from 'node:crypto'
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import type { SavedMethods } from '../../../../kernel/cart.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { type Id, parseId, type Ref } from '../../../../kernel/id.ts'
import { isLoginCode } from '../../../../kernel/login-code.ts'
import { readSlug, slugOf } from '../../../../kernel/object-slug.ts'
import { read, type Tx, transact, type View } from '../../../../platform/db/unit-of-work.ts'
import { type Customer, findCustomersByEmail } from '../../customers/service.ts'
import { createMails } from '../../mails/service.ts'
import { requireCachedActive } from '../../payment-links/service/public.ts'
import { listAttachedCards } from '../../payment-methods/service.ts'
import type { VerifiedSession } from '../client-secret.ts'
import { networksOf } from '../limits.ts'
import type { CheckoutSession } from '../session.ts'
import * as store from '../store/login-codes.ts'
import { findSessionOrNull } from '../store/sessions.ts'
import { currentTime } from './current-time.ts'
import { buildUnstoredSession } from './open.ts'

const codeSeconds = 600
/** Limits per hour. */
const maxRequests = { byEmail: 5, byNetwork: 20, failed: 200 }

/** The page on which a payer enters a code. A payment link and the sessions that are opened from it are one page. */
type Page = {
  readonly scopeId: store.LoginScope
  /** If the customer is known, only cards of this customer can be used. */
  readonly customerId: Id<'customer'> | null
  readonly locale: string | null
  readonly savedMethods: SavedMethods
}

export async function pageOfLink(deps: Deps, ref: Ref<'payment_link'>): Promise<Page> {
  const { id: scopeId, customerId, locale, savedMethods } = await requireCachedActive(deps, ref)
  return { scopeId, customerId, locale, savedMethods }
}

export async function pageOfSession(deps: Deps, caller: Caller, ref: VerifiedSession): Promise<Page> {
  const stored = await read(deps, caller, (view) => findSessionOrNull(view, ref.id))
  return pageOf(stored ?? (await buildUnstoredSession(deps, ref)))
}

function pageOf({ id, paymentLinkId, customerId, locale, savedMethods }: CheckoutSession): Page {
  return { scopeId: paymentLinkId ?? id, customerId, locale, savedMethods }
}

export type ShownCard = {
  readonly payment_method_id: Id<'payment_method'>
  readonly brand: string
  readonly last4: string
  readonly exp_month: number
  readonly exp_year: number
}

/**
 * The saved cards of the customer for whom the merchant's server created the session; null if the payer has to enter
 * a code first.
 */
export async function findListedCards(
  deps: Deps,
  caller: Caller,
  session: CheckoutSession,
): Promise<readonly ShownCard[] | null> {
  const { savedMethods } = session
  const customerId = statedCustomerOf(session)
  if (!savedMethods.show || customerId === null) return null
  return read(deps, caller, (view) => cardsOf(view, customerId, currentTime(deps)))
}

/**
 * Anyone who has a payment link or the URL of an invoice can open its page, so the customer does not count as
 * identified.
 */
function statedCustomerOf({ paymentLinkId, invoiceId, customerId }: CheckoutSession): Id<'customer'> | null {
  return paymentLinkId === null && invoiceId === null ? customerId : null
}

/** Only the brand, the last four digits and the expiry. Expired cards are left out; an expiry of 0 is unknown. */
async function cardsOf(view: View, customerId: Id<'customer'>, now: Date): Promise<ShownCard[]> {
  const month = now.getUTCFullYear() * 12 + now.getUTCMonth() + 1
  const methods = await listAttachedCards(view, customerId)
  return methods
    .filter(({ card }) => card.exp_year === 0 || card.exp_year * 12 + card.exp_month >= month)
    .map(({ id, card: { brand, last4, exp_month, exp_year } }) => ({
      payment_method_id: id,
      brand,
      last4,
      exp_month,
      exp_year,
    }))
}

export type RequestedCode = { readonly id: Id<'login_code'>; readonly expiresAt: Date }

export async function requestLoginCode(
  deps: Deps,
  caller: Caller,
  page: Page,
  { email, address }: { readonly email: string; readonly address: string },
): Promise<RequestedCode> {
  requireShown(page)
  const emailHash = hashOf(deps, caller, `email ${email.toLowerCase()}`)
  const [network] = networksOf(address)
  const networkHash = network === undefined ? null : hashOf(deps, caller, `network ${network}`)
  const requested = await transact(deps, caller, async (tx) => {
    const requests = await store.lockRequested(tx, { emailHash, networkHash }, maxRequests)
    const { byEmail, byNetwork, failed } = maxRequests
    if (requests.byEmail >= byEmail || requests.byNetwork >= byNetwork || requests.failed >= failed)
      refuse('rate_limited', {
        detail: 'Too many codes were requested. Enter a card instead, or try again in an hour.',
        retryAfterSeconds: 3_600,
      })
    const expiresAt = addSeconds(tx.now, codeSeconds)
    const { scopeId } = page
    return { id: await store.insertLoginCode(tx, { scopeId, emailHash, networkHash, expiresAt }), expiresAt }
  })
  // Not awaited: the time of the response must not depend on whether the address belongs to a customer.
  deps.runInBackground(transact(deps, caller, (tx) => sendCode(deps, tx, { ...requested, page, email })))
  return requested
}

function requireShown({ savedMethods }: Page): void {
  if (!savedMethods.show) refuse('not_found', { detail: 'This page does not show saved cards.' })
}

function hashOf({ linkKeys: [key] }: Deps, { workspaceId }: Caller, text: string): Buffer {
  return createHmac('sha256', key as Uint8Array)
    .update(`login code ${workspaceId} ${text}`)
    .digest()
}

type CodeToSend = RequestedCode & { readonly page: Page; readonly email: string }

/** Nothing is sent if the address belongs to no customer with a saved card. */
async function sendCode(deps: Deps, tx: Tx, { id, expiresAt, page, email }: CodeToSend): Promise<void> {
  const customer = await findPayer(tx, page, email, currentTime(deps))
  if (customer === null) return
  await store.setCustomer(tx, id, customer.id)
  const facts = { at: expiresAt.toISOString() }
  const { id: customerId, email: recipient } = customer
  const locale = page.locale ?? customer.locale
  await createMails(tx, [{ kind: 'login_code', objectId: id, step: 0, customerId, recipient, locale, facts }])
}

async function findPayer(tx: Tx, page: Page, email: string, now: Date): Promise<Customer | null> {
  for (const customer of await findCustomersByEmail(tx, email)) {
    const isPayer = page.customerId === null || page.customerId === customer.id
    if (isPayer && (await cardsOf(tx, customer.id, now)).length > 0) return customer
  }
  return null
}

export type EnteredCode = { readonly payerSecret: string; readonly cards: readonly ShownCard[] }

/** The attempt is committed before the code is compared, so a refusal does not undo it. */
export async function enterLoginCode(
  deps: Deps,
  caller: Caller,
  page: Page,
  { id: text, code }: { readonly id: string; readonly code: string },
): Promise<EnteredCode> {
  requireShown(page)
  const id = parseId('login_code', caller.mode, text) ?? refuse('login_code_invalid')
  const ref = { workspaceId: caller.workspaceId, id }
  const found = await transact(deps, caller, (tx) => store.useTry(tx, id, page.scopeId))
  const customerId = isLoginCode(deps.linkKeys, ref, code) ? (found ?? null) : null
  if (customerId === null) return refuse('login_code_invalid')
  await transact(deps, caller, (tx) => store.setVerified(tx, id))
  const cards = await read(deps, caller, (view) => cardsOf(view, customerId, currentTime(deps)))
  return { payerSecret: slugOf(deps.linkKeys, ref), cards }
}

/** The customer who has entered a code on the page of this session. */
export async function requirePayer(
  deps: Deps,
  caller: Caller,
  session: CheckoutSession,
  secret: string,
): Promise<Id<'customer'>> {
  const page = pageOf(session)
  requireShown(page)
  const ref = readSlug(deps.linkKeys, 'login_code', caller.mode, secret)
  if (ref?.workspaceId !== caller.workspaceId) return refuseExpired()
  const { scopeId } = page
  const now = currentTime(deps)
  const found = await read(deps, caller, (view) =>
    store.findVerifiedCustomer(view, { id: ref.id, scopeId, now }),
  )
  const isAllowed = page.customerId === null || page.customerId === found
  return found !== null && isAllowed ? found : refuseExpired()
}

function refuseExpired(): never {
  return refuse('login_code_invalid', { detail: 'The code has expired. Request another one.' })
}

/** Refuses unless the payer may use the card: it is one of the cards that the page shows to this payer. */
export async function requireSavedCard(
  tx: Tx,
  session: CheckoutSession,
  { methodId, payerId }: { readonly methodId: string; readonly payerId: Id<'customer'> | null },
): Promise<Id<'customer'>> {
  const customerId = session.savedMethods.show ? (payerId ?? statedCustomerOf(session)) : null
  const cards = customerId === null ? [] : await cardsOf(tx, customerId, tx.now)
  if (customerId !== null && cards.some(({ payment_method_id: id }) => id === methodId)) return customerId
  return refuseMember('/payment_method_id', 'not_found', 'is not a saved card of this payer')
}

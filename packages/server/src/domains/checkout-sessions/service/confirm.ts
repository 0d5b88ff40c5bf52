/**
 * Somebody presses the button. The session's row is the lock: a double click, a second tab and a repeat after a lost
 * answer all meet the one payment that is under way. What the limits refuse never reaches a bank.
 */
import { createHmac } from 'node:crypto'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { faultsOfAmount } from '../../../kernel/cart.ts'
import { type Fault, refuse, refuseMembers } from '../../../kernel/errors.ts'
import type { Ref } from '../../../kernel/id.ts'
import { step } from '../../../kernel/machine.ts'
import { withoutKey } from '../../../platform/db/resumable.ts'
import { read, type Tx } from '../../../platform/db/unit-of-work.ts'
import { createToken } from '../../card-tokens/service/create.ts'
import { requireActive, takePlace } from '../../payment-links/service/public.ts'
import {
  isDecided,
  type Payment,
  payForSession,
  type SessionOrder,
  type Wanted,
} from '../../payments/service/checkout.ts'
import { judge, limits, networkOf } from '../limits.ts'
import { checkoutSessionMachine } from '../machine.ts'
import { faultsOfPayer, type PayerInput, payerOf } from '../payer.ts'
import type { ConfirmWithCard, ConfirmWithToken } from '../schema/confirm.ts'
import type { SessionView } from '../schema/public.ts'
import type { CheckoutSession, Press } from '../session.ts'
import { findSession, lockSession } from '../store/sessions.ts'
import * as tries from '../store/tries.ts'
import { pageOf } from './open.ts'
import { pull } from './pull.ts'
import { settleSession } from './settle.ts'
import { showSession, timeOf } from './show.ts'

export { comparable as comparableCard } from '../../card-tokens/service.ts'

export type Pressing = {
  readonly session: Ref<'checkout_session'>
  /** Where the payer is. */
  readonly address: string
  /** Which press it is, if it says so. */
  readonly press: Press | null
}

/** With a token of the card, from a page of the merchant. */
export async function confirmSession(
  deps: Deps,
  caller: Caller,
  pressing: Pressing,
  input: ConfirmWithToken,
): Promise<SessionView> {
  // Repeats are recognized by the session: it may be pressed with one token by two servers at once.
  const payer = withoutKey(caller)
  const payment = await payForSession(deps, payer, (tx) => claim(deps, tx, pressing, input))
  if (isDecided(payment)) await settleSession(deps, pressing.session)
  return showSession(deps, payer, pressing.session)
}

/** With the card itself, from our own page. It becomes a token first, if there is any chance that it will be used. */
export async function confirmWithCard(
  deps: Deps,
  caller: Caller,
  pressing: Pressing,
  { card, ...input }: ConfirmWithCard,
): Promise<SessionView> {
  const payer = withoutKey(caller)
  const session = await read(deps, payer, (view) => findSession(view, pressing.session.id))
  // Somebody is paying, or has paid: that is what they are shown.
  if (session.status === 'processing' || session.status === 'completed')
    return showSession(deps, payer, pressing.session)
  requireAnswers(session, input)
  await requireRoom(deps, payer, pressing)
  const { id: token } = await createToken(deps, payer, { type: 'card', card })
  return confirmSession(deps, payer, pressing, { ...input, token })
}

/** What is over the limit anyway shall not fill the vault. */
async function requireRoom(deps: Deps, caller: Caller, pressing: Pressing): Promise<void> {
  const network = networkKeyOf(deps, caller, pressing.address)
  if (network === null) return
  const since = new Date(timeOf(deps).getTime() - limits.networkSeconds * 1000)
  const made = await read(deps, caller, (view) => tries.countFromNetwork(view, network, since))
  if (made < limits.networkTries) return
  deps.checkoutFigures.checkoutTries.inc({ result: 'network' })
  refuse('too_many_tries', { retryAfterSeconds: limits.networkSeconds })
}

async function claim(deps: Deps, tx: Tx, pressing: Pressing, input: ConfirmWithToken): Promise<Wanted> {
  const session = await lockSession(tx, pressing.session.id)
  const known = paymentOf(session, pressing.press)
  if (known !== null) return { is: 'there', paymentId: known }
  requireOpen(tx, session)
  if (session.paymentLinkId !== null) await requireActive(tx, session.paymentLinkId)
  const amount = requireAnswers(session, input)
  const order = orderOf(deps, session, input, amount)
  return { is: 'new', order, note: (payment) => note(deps, tx, { session, payment, pressing, input }) }
}

/** The payment that this press made, or that another one is waiting for. */
function paymentOf(session: CheckoutSession, press: Press | null): CheckoutSession['paymentId'] {
  const repeated = session.presses.find(({ scope }) => scope === press?.scope)
  if (repeated !== undefined && repeated.fingerprint !== press?.fingerprint) refuse('idempotency_key_reused')
  const isTaken = session.status === 'processing' || session.status === 'completed'
  return repeated !== undefined || isTaken ? session.paymentId : null
}

function requireOpen({ now }: Tx, session: CheckoutSession): void {
  const isOver = session.status === 'open' && session.expiresAt <= now
  const state = isOver ? 'expired' : session.status
  step(checkoutSessionMachine, { state, trigger: 'confirm', facts: { hasTriesLeft: true, isOver } })
}

/** What is to be paid, if all is there that was asked for. */
function requireAnswers(session: CheckoutSession, input: PayerInput & { readonly amount?: number }): bigint {
  const faults: Fault[] = [
    ...faultsOfChoice(session, input.amount),
    ...faultsOfPayer(session, payerOf(input)),
  ]
  if (faults.length > 0) refuseMembers(faults)
  return amountOf(session, input.amount)
}

function faultsOfChoice(session: CheckoutSession, amount: number | undefined): Fault[] {
  if (amount !== undefined && BigInt(amount) !== fixedAmount(session)) return faultsOfAmount(session, amount)
  const isChosen = session.openAmount === null || session.amount !== null || amount !== undefined
  return isChosen ? [] : [{ pointer: '/amount', code: 'required', detail: 'is required' }]
}

function amountOf(session: CheckoutSession, amount: number | undefined): bigint {
  if (session.openAmount !== null && amount !== undefined) return BigInt(amount)
  return fixedAmount(session) as bigint
}

function fixedAmount({ amount, lineItems }: CheckoutSession): bigint | null {
  return lineItems === null
    ? amount
    : lineItems.reduce((sum, { unit_amount, quantity }) => sum + BigInt(unit_amount) * BigInt(quantity), 0n)
}

function orderOf(
  deps: Deps,
  session: CheckoutSession,
  input: ConfirmWithToken,
  amount: bigint,
): SessionOrder {
  const { name, email, phone, billing_address: address } = payerOf(input)
  const isKnown = [name, email, phone, address].some((part) => part !== null)
  return {
    checkoutSessionId: session.id,
    paymentLinkId: session.paymentLinkId,
    token: input.token,
    amount,
    currency: session.currency,
    customerId: session.customerId,
    captureMethod: session.captureMethod,
    paymentRouteId: session.paymentRouteId,
    returnUrl: pageOf(deps.addresses, session),
    description: session.description,
    billingDetails: isKnown ? { name, email, phone, address } : null,
    metadata: session.metadata,
  }
}

type Noting = {
  readonly session: CheckoutSession
  readonly payment: Payment
  readonly pressing: Pressing
  readonly input: ConfirmWithToken
}

/** In the unit that writes the payment: the try is counted, the session waits, the place is taken. */
async function note(deps: Deps, tx: Tx, { session, payment, pressing, input }: Noting): Promise<void> {
  const tryId = await requireTry(deps, tx, { session, payment, pressing })
  const card = payment.fingerprint
  const isNew = card !== null && !session.cards.includes(card)
  await pull(tx, session, 'confirm', {
    ...(session.lineItems === null ? { amount: payment.amount } : {}),
    livePaymentId: payment.id,
    paymentId: payment.id,
    liveTryId: tryId,
    cards: isNew ? [...session.cards, card] : session.cards,
    presses: pressing.press === null ? session.presses : [...session.presses, pressing.press],
    payer: payerOf(input),
  })
  // Last: whoever pays by the same link waits for the end of this unit.
  if (session.paymentLinkId !== null) await takePlace(tx, session.paymentLinkId)
}

async function requireTry(deps: Deps, tx: Tx, { session, payment, pressing }: Omit<Noting, 'input'>) {
  const { fingerprint } = payment
  const id = tx.newId('checkout_try')
  const counted = await tries.takeTry(tx, {
    id,
    sessionId: session.id,
    scopeId: session.paymentLinkId ?? tx.caller.workspaceId,
    network: networkKeyOf(deps, tx.caller, pressing.address),
    // Everybody's tests use the same few cards.
    card: tx.caller.mode === 'test' ? null : fingerprint,
  })
  const isNewCard = fingerprint === null || !session.cards.includes(fingerprint)
  const made = { cards: session.cards.length, declines: session.declines, isNewCard }
  const verdict = judge(counted, made, tx.now)
  const { checkoutTries, checkoutAlarms } = deps.checkoutFigures
  checkoutTries.inc({ result: verdict.ok ? 'taken' : verdict.by })
  if (verdict.isAlarming) {
    checkoutAlarms.inc()
    const where = { workspace_id: tx.caller.workspaceId, id: session.paymentLinkId ?? session.id }
    deps.log.warn('Many cards are declined at a payment page: somebody may be trying them out.', where)
  }
  if (verdict.ok) return id
  const { waitSeconds } = verdict
  return refuse('too_many_tries', waitSeconds === null ? {} : { retryAfterSeconds: waitSeconds })
}

/** Addresses are personal: what is kept is a hash that nobody else can make, of the network alone. */
function networkKeyOf({ linkKeys }: Deps, { workspaceId }: Caller, address: string): string | null {
  const network = networkOf(address)
  if (network === null) return null
  const [key] = linkKeys
  return createHmac('sha256', key as Uint8Array)
    .update(`checkout network ${workspaceId} ${network}`)
    .digest('base64url')
}

/**
 * Confirms a session. The transaction locks the session, so a double click, a second tab and a repeat after a
 * lost response all get the same payment. Tries that the limits reject never reach a bank.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { type Fault, refuse, refuseMember, refuseMembers } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { withoutKey } from '../../../../platform/db/resumable.ts'
import { read, type Tx } from '../../../../platform/db/unit-of-work.ts'
import { requireAllowedReturnUrl } from '../../../access/organizations/service/element-origins.ts'
import { reserveDiscounts } from '../../../billing/discounts/service/attach.ts'
import { claimInvoice, recordCustomerPayment } from '../../../billing/invoices/service/customer-payment.ts'
import { requireCardFieldsAt } from '../../card-tokens/service/card-entry.ts'
import { type CreateToken, createToken, tokenTypes } from '../../card-tokens/service/create.ts'
import { requireActiveLink, reserveCompletion } from '../../payment-links/service/public.ts'
import { deviceFrom } from '../../payment-methods/service/device.ts'
import {
  hasOutcome,
  isAwaitingBank,
  type Payment,
  payCheckoutSession,
  type SessionClaim,
  type SessionPayment,
} from '../../payments/commands/pay-checkout-session.ts'
import type { VerifiedSession } from '../client-secret.ts'
import { checkoutSessionMachine } from '../machine.ts'
import { faultsOfPayer, type PayerInput, toPayer } from '../payer.ts'
import type { ConfirmWithCard, ConfirmWithToken } from '../schema/confirm.ts'
import type { SessionView } from '../schema/public.ts'
import type { CheckoutSession, ConfirmationKey } from '../session.ts'
import { findSessionOrNull, type SessionChanges } from '../store/sessions.ts'
import { applyPaymentResult } from './apply-payment-result.ts'
import { requireAttemptAllowed, requireBudget } from './attempt-limits.ts'
import { amountOf, faultsOfChosenAmount } from './chosen-amount.ts'
import { buildUnstoredSession, lockOrCreateSession, pageUrlOf } from './open.ts'
import { type ConfirmedOrder, planOrder } from './order.ts'
import { checkPromotionCode, withPromotionCode } from './promotion-code.ts'
import { requirePayer, requireSavedCard } from './saved-cards.ts'
import { showSession } from './show.ts'
import { transition } from './transition.ts'

export { comparableRequest } from '../../card-tokens/service.ts'

export type ConfirmInput = {
  readonly session: VerifiedSession
  /** The IP address of the payer. */
  readonly address: string
  /** The request headers of the payer's browser, if they are known. */
  readonly userAgent?: string | undefined
  readonly acceptHeader?: string | undefined
  /** The page to which the payer returns after authentication. Default: the hosted page. */
  readonly returnUrl?: string | null
  /** Identifies the confirmation, if it has an idempotency key. */
  readonly key: ConfirmationKey | null
}

/** Confirms with a card token, for merchant pages. */
export function confirmSession(
  deps: Deps,
  caller: Caller,
  confirmation: ConfirmInput,
  { token, ...input }: ConfirmWithToken,
): Promise<SessionView> {
  return confirmWith(deps, caller, confirmation, { ...input, card: { token }, payerId: null })
}

/** What the payer submitted, with a token of the card or the id of a saved card. */
type Submitted = Omit<ConfirmWithToken, 'token'> & {
  readonly card: { readonly token: string } | { readonly methodId: string }
  /** The customer who has entered a code; null if no code was entered. */
  readonly payerId: Id<'customer'> | null
  readonly promotionCode?: string | undefined
}

async function confirmWith(
  deps: Deps,
  caller: Caller,
  confirmation: ConfirmInput,
  input: Submitted,
): Promise<SessionView> {
  // Do not use the idempotency key of the request. The keys that are stored in the session detect repeats,
  // because two servers may confirm one session concurrently.
  const payer = withoutKey(caller)
  const payment = await payCheckoutSession(deps, payer, (tx) => claimSession(deps, tx, confirmation, input))
  if (hasOutcome(payment) || isAwaitingBank(payment)) await applyPaymentResult(deps, confirmation.session)
  return showSession(deps, payer, confirmation.session)
}

/**
 * Confirms with what the payer entered on the hosted page. A token is created for the card, unless it is clear
 * that the token would not be used.
 */
export async function confirmWithCard(
  deps: Deps,
  caller: Caller,
  confirmation: ConfirmInput,
  entered: ConfirmWithCard,
): Promise<SessionView> {
  const {
    return_url: returnUrl = null,
    payer_secret: secret,
    payment_method_id: methodId,
    ...others
  } = entered
  const { promotion_code: promotionCode, ...rest } = others
  const input = { ...withoutInstrument(rest), promotionCode }
  const payer = withoutKey(caller)
  const stored = await read(deps, payer, (view) => findSessionOrNull(view, confirmation.session.id))
  const session = stored ?? (await buildUnstoredSession(deps, confirmation.session))
  // A payment is in progress or has succeeded: return its session instead of creating another payment.
  if (session.status === 'processing' || session.status === 'completed')
    return showSession(deps, payer, confirmation.session)
  requirePayerInput(session, input)
  if (returnUrl !== null) await requireAllowedReturnUrl(deps, session.workspaceId, returnUrl)
  await requireBudget(deps, payer, session, confirmation.address)
  const payerId = secret === undefined ? null : await requirePayer(deps, payer, session, secret)
  if (promotionCode !== undefined)
    await checkPromotionCode(deps, payer, session, {
      code: promotionCode,
      amount: entered.amount,
      quantities: entered.quantities,
      payer: { email: entered.email ?? null, payerId },
      address: confirmation.address,
    })
  const complete = { ...confirmation, returnUrl }
  if (methodId !== undefined)
    return confirmWith(deps, payer, complete, { ...input, card: { methodId }, payerId })
  const newToken = tokenInput(entered)
  const { provider_token: providerToken } = newToken
  if (providerToken !== undefined)
    await read(deps, payer, (view) => requireCardFieldsAt(deps, view, providerToken.provider_account_id))
  const { id: token } = await createToken(deps, payer, newToken)
  return confirmWith(deps, payer, complete, { ...input, card: { token }, payerId })
}

/** The details of the payer, without the member that contains the payment method. */
function withoutInstrument(
  entered: Omit<ConfirmWithCard, 'return_url' | 'payer_secret' | 'payment_method_id' | 'promotion_code'>,
): Omit<ConfirmWithToken, 'token'> {
  const instruments: readonly string[] = tokenTypes
  return Object.fromEntries(Object.entries(entered).filter(([name]) => !instruments.includes(name)))
}

/** The card form of the page sends a card, the fields of a provider or vault a token. */
function tokenInput(entered: ConfirmWithCard): CreateToken {
  const type = tokenTypes.find((name) => entered[name] !== undefined)
  return type === undefined
    ? refuseMember('/card', 'required', 'is required')
    : { type, [type]: entered[type] }
}

async function claimSession(
  deps: Deps,
  tx: Tx,
  confirmation: ConfirmInput,
  input: Submitted,
): Promise<SessionClaim> {
  const session = await lockOrCreateSession(tx, confirmation.session)
  const existingPaymentId = findExistingPayment(session, confirmation.key)
  if (existingPaymentId !== null) return { kind: 'existing', paymentId: existingPaymentId }
  requireOpen(tx, session)
  if (session.paymentLinkId !== null) await requireActiveLink(tx, session.paymentLinkId)
  const amount = requirePayerInput(session, input)
  const confirmed = await withPromotionCode(tx, await orderOf(tx, session, amount, input), input)
  // Lock order: the session before its invoice.
  const invoice = session.invoiceId === null ? null : await claimInvoice(tx, session.invoiceId, amount)
  const card = await cardOf(tx, confirmed, input)
  return {
    kind: 'new',
    payment: toSessionPayment(deps, confirmed, { confirmation, input, card }),
    record: async (payment) => {
      requireAddressOfCard(session, payment, input)
      if (invoice !== null) await recordCustomerPayment(tx, invoice, payment.id)
      await recordPayment(deps, tx, { confirmed, payment, confirmation, input })
    },
  }
}

function orderOf(
  tx: Tx,
  session: CheckoutSession,
  amount: bigint,
  { quantities }: Submitted,
): Promise<ConfirmedOrder> | ConfirmedOrder {
  return session.mode === 'subscription'
    ? planOrder(tx, session, quantities)
    : { session, amount, order: null }
}

type ChargedCard = Pick<SessionPayment, 'instrument' | 'customerId' | 'savesCardFor'>

/** The card to charge, and the customer it belongs to or is saved for. */
async function cardOf(
  tx: Tx,
  { session, amount }: ConfirmedOrder,
  { card, payerId, save_card: agrees = false }: Submitted,
): Promise<ChargedCard> {
  if ('methodId' in card) {
    const { methodId } = card
    if (amount === 0n)
      refuseMember('/payment_method_id', 'not_together', 'cannot be used, because nothing is charged now')
    const customerId = await requireSavedCard(tx, session, { methodId, payerId })
    const instrument = { payment_method_id: methodId as Id<'payment_method'> }
    return { instrument, customerId, savesCardFor: null }
  }
  const { mode, savedMethods } = session
  const customerId = session.customerId ?? payerId
  if (mode !== 'payment') return { instrument: card, customerId, savesCardFor: 'off_session' }
  const isSaved = savedMethods.save === 'required' || (savedMethods.save === 'ask' && agrees)
  return { instrument: card, customerId, savesCardFor: isSaved ? 'on_session' : null }
}

/** A customer is created for a card that is saved, which requires an e-mail address. */
function requireAddressOfCard(
  { mode }: CheckoutSession,
  { savePaymentMethod, customerId }: Payment,
  { email }: Submitted,
): void {
  if (mode === 'payment' && savePaymentMethod && customerId === null && (email ?? null) === null)
    refuseMember('/email', 'required', 'is required if the card is saved')
}

/**
 * The payment of an earlier confirmation with this key, or the payment that is in progress or has succeeded.
 */
function findExistingPayment(
  session: CheckoutSession,
  key: ConfirmationKey | null,
): CheckoutSession['paymentId'] {
  const repeated = session.confirmationKeys.find(({ scope }) => scope === key?.scope)
  if (repeated !== undefined && repeated.fingerprint !== key?.fingerprint) refuse('idempotency_key_reused')
  const hasPayment = session.status === 'processing' || session.status === 'completed'
  return repeated !== undefined || hasPayment ? session.paymentId : null
}

function requireOpen({ now }: Tx, session: CheckoutSession): void {
  const hasExpired = session.status === 'open' && session.expiresAt <= now
  const state = hasExpired ? 'expired' : session.status
  nextTransition(checkoutSessionMachine, {
    state,
    trigger: 'confirm',
    facts: { hasTriesLeft: true, hasExpired },
  })
}

/** Returns the amount to pay. Refuses if a requested detail is missing or invalid. */
function requirePayerInput(
  session: CheckoutSession,
  input: PayerInput & { readonly amount?: number },
): bigint {
  const faults: Fault[] = [
    ...faultsOfChosenAmount(session, input.amount),
    ...faultsOfPayer(session, toPayer(input)),
  ]
  if (faults.length > 0) refuseMembers(faults)
  return amountOf(session, input.amount)
}

function toSessionPayment(
  deps: Deps,
  { session, amount, order }: ConfirmedOrder,
  { confirmation, input, card }: Submission,
): SessionPayment {
  const { name, email, phone, billing_address: address } = toPayer(input)
  const hasDetails = [name, email, phone, address].some((part) => part !== null)
  return {
    checkoutSessionId: session.id,
    paymentLinkId: session.paymentLinkId,
    invoiceId: session.invoiceId ?? (amount === 0n ? null : (order?.invoiceId ?? null)),
    ...card,
    // Nothing is due for a stored card, or before a trial ends.
    purpose: amount === 0n ? 'verification' : 'payment',
    amount,
    currency: session.currency,
    captureMethod: session.captureMethod,
    paymentRouteId: session.paymentRouteId,
    returnUrl: confirmation.returnUrl ?? pageUrlOf(deps.addresses, session),
    description: session.description,
    billingDetails: hasDetails ? { name, email, phone, address } : null,
    device: deviceOf(confirmation, input),
    metadata: session.metadata,
  }
}

type Submission = {
  readonly confirmation: ConfirmInput
  readonly input: Submitted
  readonly card: ChargedCard
}

function deviceOf(
  { address, userAgent, acceptHeader }: ConfirmInput,
  { browser }: Submitted,
): SessionPayment['device'] {
  return deviceFrom({
    ip: address,
    ...(userAgent === undefined ? {} : { user_agent: userAgent }),
    ...(acceptHeader === undefined ? {} : { accept_header: acceptHeader }),
    ...browser,
  })
}

type NewSessionPayment = {
  readonly confirmed: ConfirmedOrder
  readonly payment: Payment
  readonly confirmation: ConfirmInput
  readonly input: Submitted
}

/**
 * Runs in the transaction that writes the payment: counts the try, updates the session, and reserves a
 * completion of the link.
 */
async function recordPayment(
  deps: Deps,
  tx: Tx,
  { confirmed: { session, order }, payment, confirmation, input }: NewSessionPayment,
): Promise<void> {
  const { fingerprint } = payment
  const tryId = await requireAttemptAllowed(deps, tx, { session, fingerprint, address: confirmation.address })
  const isNewCard = fingerprint !== null && !session.cards.includes(fingerprint)
  await transition(tx, session, 'confirm', {
    ...amountFields(session, payment),
    ...(order === null ? {} : { order, lineItems: session.lineItems }),
    ...(session.allowPromotionCodes
      ? { discounts: session.discounts, discountTotal: session.discountTotal }
      : {}),
    pendingPaymentId: payment.id,
    paymentId: payment.id,
    pendingTryId: tryId,
    cards: isNewCard ? [...session.cards, fingerprint] : session.cards,
    confirmationKeys:
      confirmation.key === null ? session.confirmationKeys : [...session.confirmationKeys, confirmation.key],
    payer: toPayer(input),
  })
  if (session.allowPromotionCodes) await reserveDiscounts(tx, session)
  // Lock the link last, because other payers of the link wait until this transaction ends.
  if (session.paymentLinkId !== null) await reserveCompletion(tx, session.paymentLinkId)
}

/** The amount before the discount of a code, unless it is the sum of the line items. Null if only a card is verified. */
function amountFields(
  { mode, lineItems, discountTotal }: CheckoutSession,
  { amount }: Payment,
): SessionChanges {
  if (mode !== 'payment') return { amount: amount === 0n ? null : amount }
  return lineItems === null ? { amount: amount + (discountTotal ?? 0n) } : {}
}

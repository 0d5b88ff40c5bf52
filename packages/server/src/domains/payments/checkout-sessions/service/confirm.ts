/**
 * Confirms a session. The transaction locks the session, so a double click, a second tab and a repeat after a
 * lost response all get the same payment. Tries that the limits reject never reach a bank.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { faultsOfAmount } from '../../../../kernel/cart.ts'
import { type Fault, refuse, refuseMember, refuseMembers } from '../../../../kernel/errors.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { withoutKey } from '../../../../platform/db/resumable.ts'
import { read, type Tx } from '../../../../platform/db/unit-of-work.ts'
import { requireAllowedReturnUrl } from '../../../access/organizations/service/element-origins.ts'
import { claimInvoice, recordCustomerPayment } from '../../../billing/invoices/service/customer-payment.ts'
import { requireCardFieldsAt } from '../../card-tokens/service/card-entry.ts'
import { type CreateToken, createToken } from '../../card-tokens/service/create.ts'
import { requireActiveLink, reserveCompletion } from '../../payment-links/service/public.ts'
import { deviceFrom } from '../../payment-methods/service/device.ts'
import {
  hasOutcome,
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
import { buildUnstoredSession, lockOrCreateSession, pageUrlOf } from './open.ts'
import { type ConfirmedOrder, planOrder } from './order.ts'
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
export async function confirmSession(
  deps: Deps,
  caller: Caller,
  confirmation: ConfirmInput,
  input: ConfirmWithToken,
): Promise<SessionView> {
  // Do not use the idempotency key of the request. The keys that are stored in the session detect repeats,
  // because two servers may confirm one session concurrently.
  const payer = withoutKey(caller)
  const payment = await payCheckoutSession(deps, payer, (tx) => claimSession(deps, tx, confirmation, input))
  if (hasOutcome(payment)) await applyPaymentResult(deps, confirmation.session)
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
  const { card: _, provider_token: __, vault_token: ___, return_url: returnUrl = null, ...input } = entered
  const payer = withoutKey(caller)
  const stored = await read(deps, payer, (view) => findSessionOrNull(view, confirmation.session.id))
  const session = stored ?? (await buildUnstoredSession(deps, confirmation.session))
  // A payment is in progress or has succeeded: return its session instead of creating another payment.
  if (session.status === 'processing' || session.status === 'completed')
    return showSession(deps, payer, confirmation.session)
  requirePayerInput(session, input)
  if (returnUrl !== null) await requireAllowedReturnUrl(deps, session.workspaceId, returnUrl)
  await requireBudget(deps, payer, session, confirmation.address)
  const newToken = tokenInput(entered)
  const { provider_token: providerToken } = newToken
  if (providerToken !== undefined)
    await read(deps, payer, (view) => requireCardFieldsAt(deps, view, providerToken.provider_account_id))
  const { id: token } = await createToken(deps, payer, newToken)
  return confirmSession(deps, payer, { ...confirmation, returnUrl }, { ...input, token })
}

type EnteredCard = Pick<ConfirmWithCard, 'card' | 'provider_token' | 'vault_token'>

/** The card form of the page sends a card, the fields of a provider or vault a token. */
function tokenInput({ card, provider_token, vault_token }: EnteredCard): CreateToken {
  if (vault_token !== undefined) return { type: 'vault_token', vault_token }
  if (provider_token !== undefined) return { type: 'provider_token', provider_token }
  return card === undefined ? refuseMember('/card', 'required', 'is required') : { type: 'card', card }
}

async function claimSession(
  deps: Deps,
  tx: Tx,
  confirmation: ConfirmInput,
  input: ConfirmWithToken,
): Promise<SessionClaim> {
  const session = await lockOrCreateSession(tx, confirmation.session)
  const existingPaymentId = findExistingPayment(session, confirmation.key)
  if (existingPaymentId !== null) return { kind: 'existing', paymentId: existingPaymentId }
  requireOpen(tx, session)
  if (session.paymentLinkId !== null) await requireActiveLink(tx, session.paymentLinkId)
  const amount = requirePayerInput(session, input)
  const confirmed =
    session.mode === 'subscription'
      ? await planOrder(tx, session, input.quantities)
      : { session, amount, order: null }
  // Lock order: the session before its invoice.
  const invoice = session.invoiceId === null ? null : await claimInvoice(tx, session.invoiceId, amount)
  return {
    kind: 'new',
    payment: toSessionPayment(deps, confirmed, { confirmation, input }),
    record: async (payment) => {
      if (invoice !== null) await recordCustomerPayment(tx, invoice, payment.id)
      await recordPayment(deps, tx, { confirmed, payment, confirmation, input })
    },
  }
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

function faultsOfChosenAmount(session: CheckoutSession, amount: number | undefined): Fault[] {
  if (session.mode !== 'payment') return amount === undefined ? [] : faultsOfAmount(session, amount)
  if (amount !== undefined && BigInt(amount) !== fixedAmount(session)) return faultsOfAmount(session, amount)
  const isChosen = session.openAmount === null || session.amount !== null || amount !== undefined
  return isChosen ? [] : [{ pointer: '/amount', code: 'required', detail: 'is required' }]
}

function amountOf(session: CheckoutSession, amount: number | undefined): bigint {
  if (session.mode !== 'payment') return 0n
  if (session.openAmount !== null && amount !== undefined) return BigInt(amount)
  return fixedAmount(session) as bigint
}

function fixedAmount({ amount, lineItems }: CheckoutSession): bigint | null {
  return lineItems === null
    ? amount
    : lineItems.reduce((sum, { unit_amount, quantity }) => sum + BigInt(unit_amount) * BigInt(quantity), 0n)
}

function toSessionPayment(
  deps: Deps,
  { session, amount, order }: ConfirmedOrder,
  { confirmation, input }: Submission,
): SessionPayment {
  const { name, email, phone, billing_address: address } = toPayer(input)
  const hasDetails = [name, email, phone, address].some((part) => part !== null)
  return {
    checkoutSessionId: session.id,
    paymentLinkId: session.paymentLinkId,
    invoiceId: session.invoiceId ?? (amount === 0n ? null : (order?.invoiceId ?? null)),
    token: input.token,
    // Nothing is due for a stored card, or before a trial ends.
    purpose: amount === 0n ? 'verification' : 'payment',
    savesCard: session.mode !== 'payment',
    amount,
    currency: session.currency,
    customerId: session.customerId,
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
  readonly input: ConfirmWithToken
}

function deviceOf(
  { address, userAgent, acceptHeader }: ConfirmInput,
  { browser }: ConfirmWithToken,
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
  readonly input: ConfirmWithToken
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
    pendingPaymentId: payment.id,
    paymentId: payment.id,
    pendingTryId: tryId,
    cards: isNewCard ? [...session.cards, fingerprint] : session.cards,
    confirmationKeys:
      confirmation.key === null ? session.confirmationKeys : [...session.confirmationKeys, confirmation.key],
    payer: toPayer(input),
  })
  // Lock the link last, because other payers of the link wait until this transaction ends.
  if (session.paymentLinkId !== null) await reserveCompletion(tx, session.paymentLinkId)
}

/** The amount that is charged, unless it is the sum of the line items. Null if only a card is verified. */
function amountFields({ mode, lineItems }: CheckoutSession, { amount }: Payment): SessionChanges {
  if (mode === 'payment' && lineItems !== null) return {}
  return { amount: amount === 0n ? null : amount }
}

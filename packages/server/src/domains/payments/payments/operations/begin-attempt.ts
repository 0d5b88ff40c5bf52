/**
 * Begins a payment, or its next attempt: chooses an account, reserves the attempt within the card network
 * limits, and writes payment, attempt and operation before the provider is called.
 */
import type { Deps } from '../../../../deps.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { pinnedRoute, routeFor } from '../../../routing/payment-routes/service/decide.ts'
import { reserveSlot } from '../../card-budgets/service.ts'
import { type ChargedMethod, findPaymentMethod, tokenAccountsOf } from '../../payment-methods/service.ts'
import * as events from '../events.ts'
import { addsCredential, type Intent, type Operation, type Payment, type Trace } from '../payment.ts'
import { failureOf } from '../rules/decide.ts'
import { leaseSeconds } from '../rules/expiry.ts'
import { nextOperationNumber } from '../rules/reference.ts'
import * as operations from '../store/operations.ts'
import * as store from '../store/payments.ts'
import { adoptRebuilt } from './adopt-rebuilt.ts'
import { slotOf } from './card-budget.ts'
import { chooseAccount } from './choose-account.ts'
import type { Progress } from './progress.ts'
import { continuedReference, firstReference } from './references.ts'

/**
 * After this time a replay must not complete the payment: the payer has left and does not expect a charge.
 */
const completeWithinSeconds = { customer: 600, merchant: 86_400 } as const

/** The requested payment, the requested route, and the accounts at which the card has a provider token. */
export type PaymentRequest = {
  readonly intent: Intent
  readonly paymentRouteId: string | null
  readonly tokensAt: ReadonlySet<Id<'provider_account'>>
  /** Set if the card is verified at this account, regardless of the route of the workspace. */
  readonly requiredAccountId?: Id<'provider_account'>
  /** The saved payment method, if one is charged. */
  readonly charged?: ChargedMethod | undefined
}

/** The request is a promise, because the id of the payment is generated before the request is loaded. */
export async function beginPayment(
  deps: Deps,
  tx: Tx,
  requestPromise: Promise<PaymentRequest>,
): Promise<Progress> {
  const id = tx.newId('payment')
  const loaded = await loadRequest(tx, id, requestPromise)
  if ('adopted' in loaded) return loaded.adopted
  const { intent, paymentRouteId, charged, reference, ...card } = loaded
  const route =
    card.requiredAccountId === undefined
      ? await routeFor(deps, tx, paymentRouteId)
      : await pinnedRoute(deps, tx, null, null)
  const newPayment = { ...intent, id, paymentRouteId: route.id, routeRevision: route.revision }
  const choice = await chooseAccount(deps, tx, route, { payment: newPayment, tried: [], ...card })
  const reservation =
    choice.chosen === null ? null : await reserveAttempt(deps, tx, newPayment, choice.chosen)
  const reserved = reservation?.ok ? reservation : null
  const payment = store.insertPayment(tx, {
    ...newPayment,
    providerAccountId: reserved?.chosen ?? null,
    attemptsCount: reserved === null ? 0 : 1,
  })
  const next =
    reserved === null
      ? null
      : beginAttempt(tx, newPayment, {
          ...reserved,
          trace: choice.trace,
          attempt: 1,
          operation: 1,
          reference,
        })
  await claimOrder(tx, intent, id)
  tx.emit(events.paymentCreated, { after: payment })
  if (next !== null) return { id, payment, next, charged }
  const code =
    reservation !== null
      ? 'retry_limit_reached'
      : choice.declined
        ? 'blocked_by_rule'
        : 'no_eligible_provider'
  return { id, payment: await failWithoutAttempt(tx, payment, code), next: null }
}

type LoadedRequest = PaymentRequest & { readonly reference: string }

/** The request and its reference, which are read concurrently; or the payment that was rebuilt for it. */
async function loadRequest(
  tx: Tx,
  id: Id<'payment'>,
  requestPromise: Promise<PaymentRequest>,
): Promise<LoadedRequest | { readonly adopted: Progress }> {
  const [requested, own] = await Promise.allSettled([requestPromise, firstReference(tx, id)])
  if (own.status === 'rejected') throw requested.status === 'rejected' ? requested.reason : own.reason
  const { value: claim } = own
  if ('rebuiltAs' in claim) return { adopted: await adoptRebuilt(tx, claim.rebuiltAs, requested) }
  if (requested.status === 'rejected') throw requested.reason
  return { ...requested.value, reference: claim.reference }
}

async function claimOrder(tx: Tx, { orderReference }: Intent, id: Id<'payment'>): Promise<void> {
  const isClaimed = orderReference === null || (await store.claimOrder(tx, orderReference, id))
  if (!isClaimed) refuse('order_has_payment')
}

/**
 * Starts an attempt at the next eligible account; null if there is none, or the card is at its retry limit.
 */
export async function beginNextAttempt(
  deps: Deps,
  tx: Tx,
  payment: Payment,
  tried: readonly string[],
): Promise<Progress | null> {
  // A credential is requested for one specific account, so no other account is tried.
  if (addsCredential(payment)) return null
  const route = await pinnedRoute(deps, tx, payment.paymentRouteId, payment.routeRevision)
  const tokensAt = await accountsWithToken(tx, payment)
  const { chosen, trace } = await chooseAccount(deps, tx, route, { payment, tried, tokensAt })
  if (chosen === null) return null
  const reserved = await reserveAttempt(deps, tx, payment, chosen)
  if (!reserved.ok) return null
  const existing = await operations.listOperations(tx, payment.id)
  const [attempt, operation] = [tried.length + 1, nextOperationNumber(existing)]
  const reference = continuedReference(tx, payment.id, existing)
  const next = beginAttempt(tx, payment, { ...reserved, trace, attempt, operation, reference })
  const counts = { attemptsCount: attempt, providerAccountId: chosen, dueAt: payment.dueAt }
  const updated = store.updatePayment(tx, payment, counts, false)
  return { id: payment.id, payment: updated, next }
}

/** A new card has a token only at the account that was tried first. */
async function accountsWithToken(
  tx: Tx,
  { paymentMethodId }: Payment,
): Promise<ReadonlySet<Id<'provider_account'>>> {
  return paymentMethodId === null ? new Set() : tokenAccountsOf(await findPaymentMethod(tx, paymentMethodId))
}

type PaymentToBegin = Intent & Pick<Payment, 'id'>
type ReservedAttempt = {
  readonly ok: boolean
  readonly chosen: Id<'provider_account'>
  readonly attemptId: Id<'payment_attempt'>
}

/** Reserves an attempt within the limits of the card network, across all accounts. */
async function reserveAttempt(
  { health }: Deps,
  tx: Tx,
  payment: PaymentToBegin,
  chosen: Id<'provider_account'>,
): Promise<ReservedAttempt> {
  const attemptId = tx.newId('payment_attempt')
  const { ok } = await reserveSlot(tx, slotOf(payment, attemptId))
  // This attempt is the probe of an account whose circuit breaker is open.
  if (ok && health.isOpen(chosen, 'authorize')) health.recordProbeStart(chosen, 'authorize')
  return { ok, chosen, attemptId }
}

type AttemptToBegin = Omit<ReservedAttempt, 'ok'> & {
  readonly trace: Trace
  /** The numbers of the attempt and of its operation. */
  readonly attempt: number
  readonly operation: number
  readonly reference: string
}

function beginAttempt(
  tx: Tx,
  payment: PaymentToBegin,
  { chosen, attemptId: id, trace, attempt: number, operation, reference }: AttemptToBegin,
): Operation {
  operations.insertAttempt(tx, payment.id, { id, number, providerAccountId: chosen, trace })
  return operations.insertOperation(tx, payment.id, {
    attemptId: id,
    refundId: null,
    kind: kindOf(payment),
    number: operation,
    reference,
    amount: payment.amount,
    currency: payment.currency,
    capture: payment.captureMethod === 'automatic' && payment.purpose === 'payment',
    final: true,
    providerAccountId: chosen,
    leaseUntil: addSeconds(tx.now, leaseSeconds),
    completeBeforeAt: addSeconds(tx.now, completeWithinSeconds[payment.initiator]),
  })
}

const kindOf = ({ purpose }: Pick<Intent, 'purpose'>) => (purpose === 'verification' ? 'verify' : 'authorize')

/** Fails a payment without any attempt. */
async function failWithoutAttempt(tx: Tx, payment: Payment, code: string): Promise<Payment> {
  const failure = failureOf({ code })
  const after = store.updatePayment(tx, payment, { status: 'failed', failure }, true)
  tx.emit(events.paymentFailed, { before: payment, after })
  await store.releaseOrder(tx, after)
  return after
}

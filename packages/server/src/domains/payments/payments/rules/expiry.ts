/**
 * Time-based changes to a payment: expiry of the payer action, pauses between returns of the payer, expiry of the
 * authorization, and delayed events. Pure functions.
 */
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Operation, Payment } from '../payment.ts'

/** The maximum time that a payment waits for the payer, even if the provider allows more. */
const actionSeconds = 30 * 60
/** The delay before `payment.unresolved` is emitted, because most unknown outcomes are resolved sooner. */
const unresolvedDelaySeconds = 10
/** How long an authorization is valid if the provider does not report an expiry. */
const authorizationSeconds = 7 * 24 * 60 * 60
/**
 * `payment.authorization_expiring` is emitted this long before an authorization expires. It is not emitted for
 * shorter authorizations.
 */
const warnSeconds = 24 * 60 * 60
/** How long until an expiry that could not be completed is processed again. */
const retrySeconds = { requires_action: 5 * 60, requires_capture: 60 * 60 } as const

/** When the payment stops waiting for the payer. */
export function actionExpiresAt(providerExpiry: Date, now: Date): Date {
  return earliest([providerExpiry, addSeconds(now, actionSeconds)]) as Date
}

/** The capture deadline. */
export function authorizationExpiresAt(providerExpiry: Date | undefined, now: Date): Date {
  return providerExpiry ?? addSeconds(now, authorizationSeconds)
}

/**
 * Whether the authorization is too short for an expiry event. `payment.authorized` already contains its
 * expiry.
 */
export function isTooShortToWarn(endsAt: Date, now: Date): boolean {
  return addSeconds(endsAt, -warnSeconds) <= now
}

type TimedPayment = Pick<
  Payment,
  | 'status'
  | 'unresolvedSinceAt'
  | 'unresolvedEmitted'
  | 'nextAction'
  | 'captureBeforeAt'
  | 'expiryWarningDone'
  | 'amountReversed'
  | 'dueAt'
>

/** When the payment is due for processing next. */
export function dueAtOf(payment: TimedPayment, now: Date): Date | null {
  // A returned debit is due until its invoice is open again.
  if (payment.amountReversed > 0n) return payment.dueAt
  const unemittedSinceAt = payment.unresolvedEmitted ? null : payment.unresolvedSinceAt
  return earliest([
    ...(unemittedSinceAt === null ? [] : [addSeconds(unemittedSinceAt, unresolvedDelaySeconds)]),
    ...warningsOf(payment),
    ...expiriesOf(payment).map(([at, waitSeconds]) => (at > now ? at : addSeconds(now, waitSeconds))),
  ])
}

function warningsOf({ status, captureBeforeAt, expiryWarningDone }: TimedPayment): Date[] {
  if (status !== 'requires_capture' || captureBeforeAt === null || expiryWarningDone) return []
  return [addSeconds(captureBeforeAt, -warnSeconds)]
}

function expiriesOf({ status, nextAction, captureBeforeAt }: TimedPayment): [Date, number][] {
  if (status === 'requires_action' && nextAction !== null)
    return [[new Date(nextAction.expires_at), retrySeconds.requires_action]]
  if (status === 'requires_capture' && captureBeforeAt !== null)
    return [[captureBeforeAt, retrySeconds.requires_capture]]
  return []
}

/** Whether the payment no longer waits for the payer. */
export function isActionExpired({ status, nextAction }: TimedPayment, now: Date): boolean {
  return status === 'requires_action' && nextAction !== null && new Date(nextAction.expires_at) <= now
}

/**
 * How many returns of the payer cause an immediate call to the provider while the outcome is unknown. One is
 * not enough: a payer may leave the bank page before authenticating, open `next_action` again and then
 * authenticate, or may return before the bank has notified the provider. With only one call, the payer would
 * have to wait for the resolver in both cases.
 */
const freeReturns = 3
/** The first pause before a further return causes a call to the provider. */
const firstPauseSeconds = 15

/**
 * The time from which a return of the payer may cause a call to the provider; null: immediately. The first
 * returns need no pause, because payers often leave the bank page and then confirm after all. The pause
 * doubles with each further return, so that reloading the page causes neither provider calls nor events.
 */
export function mayCompleteAt({
  returns,
  returnedAt,
}: Pick<Operation, 'returns' | 'returnedAt'>): Date | null {
  if (returnedAt === null || returns < freeReturns) return null
  return addSeconds(returnedAt, firstPauseSeconds * 2 ** (returns - freeReturns))
}

export type DueAction = 'emit_unresolved' | 'emit_expiring' | 'expire_action' | 'void_authorization' | null

/** The action that is due now; null if there is none. */
export function dueActionOf(payment: TimedPayment, now: Date): DueAction {
  const unemittedSinceAt = payment.unresolvedEmitted ? null : payment.unresolvedSinceAt
  if (unemittedSinceAt !== null && addSeconds(unemittedSinceAt, unresolvedDelaySeconds) <= now)
    return 'emit_unresolved'
  const [expiry] = expiriesOf(payment)
  if (expiry !== undefined && expiry[0] <= now)
    return payment.status === 'requires_action' ? 'expire_action' : 'void_authorization'
  const [warnAt] = warningsOf(payment)
  return warnAt !== undefined && warnAt <= now ? 'emit_expiring' : null
}

function earliest(times: readonly Date[]): Date | null {
  return times.reduce<Date | null>((first, at) => (first === null || at < first ? at : first), null)
}

/**
 * How long one process has the exclusive right to send an operation: longer than the longest call. The sender
 * must not send after the lease has expired, and the resolver does not act before then.
 */
export const leaseSeconds = 70

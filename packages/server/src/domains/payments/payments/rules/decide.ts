/**
 * Decides how a result changes the operation, its attempt and its payment. Pure functions. Three rules take
 * precedence: an unknown outcome is not a failure; no other provider is tried while an outcome is unknown;
 * and final states never change.
 */
import { type Decline, type Found, isDebit } from '../../../../providers/contract.ts'
import { declineOf, payerTexts } from '../../../../providers/declines.ts'
import {
  type Attempt,
  type AttemptStatus,
  type Failure,
  isAwaitingBank,
  type Operation,
  type OperationStatus,
  type Payment,
  type Settlement,
} from '../payment.ts'
import { resendWait } from './resend-schedule.ts'
import { isPastReviewDeadline } from './resolve-strategy.ts'
import { isPastSettlementDeadline } from './settlement.ts'

/** The result of an operation, according to the response, a lookup, a provider event or a person. */
export type OperationResult =
  | Found
  | { readonly is: 'not_sent'; readonly fault: { readonly code: string; readonly message: string } }

export type Facts = {
  readonly payment: Payment
  readonly attempt: Attempt
  readonly operation: Operation
  readonly result: OperationResult
  /** The reported amount or currency differs from the requested one. */
  readonly differs: boolean
  /** Whether the route allows failover to another account after this result. */
  readonly mayFailOver: boolean
  /** A person entered this result in a review, long after the request, so no automatic retry follows. */
  readonly byPerson: boolean
}

export type Decision = {
  readonly operation: {
    readonly status: OperationStatus
    /**
     * The time until an open operation is checked, or until an operation that has ended is resent. Null if
     * neither is scheduled.
     */
    readonly dueInSeconds: number | null
  }
  readonly attempt: AttemptStatus | null
  readonly payment: PaymentMove
  /** Whether the payment fails over to another account. */
  readonly failsOver: boolean
}

/** The change to the payment. Most names are triggers of its state machine. */
export type PaymentMove =
  | { readonly on: 'nothing' }
  | { readonly on: 'authorized' | 'captured' | 'voided' | 'capture_failed' | 'void_failed' }
  | { readonly on: 'action_required' }
  /** A debit was submitted to the bank. */
  | { readonly on: 'submitted'; readonly settlesAt: Date | null }
  | { readonly on: 'attempt_failed'; readonly failure: Failure }
  | { readonly on: 'unresolved' }
  | { readonly on: 'needs_review' }

/** Seconds before each check. After the last one, checks are daily until the seventh day. */
export const checkWaits = [2, 10, 60, 300, 900, 3_600, 21_600, 86_400] as const

export function checkWait(checks: number): number {
  return checkWaits[Math.min(checks, checkWaits.length - 1)] ?? 86_400
}

const nothing = { on: 'nothing' } as const

/** Handles the results of `authorize` and `verify`. */
export function decideAuthorization(facts: Facts): Decision {
  const { result, operation } = facts
  if (result.is === 'succeeded') return approve(facts)
  if (result.is === 'pending') return awaitResult(facts, result)
  if (result.is === 'action')
    return stayOpen('awaiting_customer', null, 'requires_action', { on: 'action_required' })
  if (result.is === 'declined') return failAttempt(facts, 'declined', 'declined', result.decline)
  if (result.is === 'rejected' || result.is === 'not_sent')
    return failAttempt(facts, result.is, 'failed', { code: codeOfFault(result.fault.code) })
  if (result.is === 'closed') return neverProcessed(facts)
  if (operation.status === 'awaiting_customer') return stillAwaitingPayer(facts)
  // The provider has submitted the debit, so a lookup without a result does not make its outcome unknown.
  if (isAwaitingBank(facts.payment)) return stayOpen('pending', debitCheckSeconds, null, nothing)
  return stayOpen('unknown', checkWait(operation.checks), 'unresolved', { on: 'unresolved' })
}

/** A debit takes days, so it is looked up once a day. */
const debitCheckSeconds = 86_400

function awaitResult({ payment, operation }: Facts, result: Extract<Found, { is: 'pending' }>): Decision {
  const isSubmitted = isDebit(payment.methodType) && operation.kind === 'authorize'
  if (!isSubmitted) return stayOpen('pending', checkWaitOf(result, operation), 'started', nothing)
  const move = isAwaitingBank(payment)
    ? nothing
    : ({ on: 'submitted', settlesAt: result.settlesAt ?? null } as const)
  return stayOpen('pending', debitCheckSeconds, 'started', move)
}

/**
 * After an inconclusive lookup the operation still waits for the payer. If a cancellation was requested, the
 * lookup is repeated.
 */
function stillAwaitingPayer({ operation, payment }: Facts): Decision {
  const wait = payment.cancelRequestedAt === null ? null : checkWait(operation.checks)
  return stayOpen('awaiting_customer', wait, null, nothing)
}

function approve({ differs, operation, payment }: Facts): Decision {
  if (differs) return stayOpen('needs_review', null, 'unresolved', { on: 'needs_review' })
  const captured = operation.capture && payment.purpose === 'payment'
  const status = captured ? 'captured' : 'authorized'
  return end('succeeded', status, { on: status })
}

/**
 * The operation was not processed and never will be: the provider has confirmed it, or it follows from its terms. If
 * the payer was redirected, the payer did not complete authentication.
 */
function neverProcessed(facts: Facts): Decision {
  return facts.operation.challenged
    ? failAttempt(facts, 'not_processed', 'expired', { code: 'authentication_abandoned' })
    : failAttempt(facts, 'not_processed', 'failed', { code: 'provider_error' })
}

/** Handles the results of `capture` and `void`, which change an existing authorization. */
export function decideCaptureOrVoid(facts: Facts): Decision {
  const [success, failure] =
    facts.operation.kind === 'capture'
      ? (['captured', 'capture_failed'] as const)
      : (['voided', 'void_failed'] as const)
  const mayResend = !facts.byPerson && facts.payment.cancelRequestedAt === null
  return decideFollowUp(
    { ...facts, mayResend },
    {
      succeeded: { on: success },
      failed: { on: failure },
      unknown: { on: 'unresolved' },
      contradicted: { on: 'needs_review' },
      // An amount that was captured before a void stays captured and can be refunded.
      attempt: facts.payment.amountCaptured > 0n ? 'captured' : success,
    },
  )
}

/** Handles the results of `refund`, which change the amounts of the payment, not its status. */
export function decideRefund(facts: Pick<Facts, 'result' | 'differs' | 'operation' | 'byPerson'>): Decision {
  const moves = { succeeded: nothing, failed: nothing, unknown: nothing, contradicted: nothing }
  return decideFollowUp({ ...facts, mayResend: !facts.byPerson }, { ...moves, attempt: null })
}

/**
 * After a week without a conclusive response the operation needs review, and stays in review until it is
 * resolved. A debit needs review if it is not confirmed two weeks after the expected time.
 */
export function withReviewDeadline(
  decision: Decision,
  operation: Operation,
  now: Date,
  settlement: Settlement | null = null,
): Decision {
  const { status } = decision.operation
  const isLate =
    settlement?.status === 'pending'
      ? isPastSettlementDeadline(settlement, now)
      : isPastReviewDeadline(operation, now)
  const needsReview = operation.status === 'needs_review' || isLate
  if ((status !== 'unknown' && status !== 'pending') || !needsReview) return decision
  return {
    ...decision,
    operation: { status: 'needs_review', dueInSeconds: null },
    payment: { on: 'needs_review' },
  }
}

type FollowUpFacts = Pick<Facts, 'result' | 'differs' | 'operation'> & {
  /** Whether the operation is resent if the provider did not process it. */
  readonly mayResend: boolean
}

/**
 * Captures, voids and refunds have no failover: only the account that authorized the payment can perform
 * them.
 */
function decideFollowUp(
  { result, differs, operation, mayResend }: FollowUpFacts,
  moves: Record<'succeeded' | 'failed' | 'unknown' | 'contradicted', PaymentMove> & {
    readonly attempt: AttemptStatus | null
  },
): Decision {
  if (result.is === 'succeeded')
    return differs
      ? stayOpen('needs_review', null, null, moves.contradicted)
      : end('succeeded', moves.attempt, moves.succeeded)
  if (result.is === 'pending') return stayOpen('pending', checkWaitOf(result, operation), null, nothing)
  if (result.is === 'unknown' || result.is === 'absent' || result.is === 'action')
    return stayOpen('unknown', checkWait(operation.checks), null, moves.unknown)
  const ended = end(result.is === 'closed' ? 'not_processed' : result.is, null, moves.failed)
  if (!mayResend) return ended
  return { ...ended, operation: { ...ended.operation, dueInSeconds: resendWait(operation, result) } }
}

function failAttempt(
  { mayFailOver, byPerson }: Facts,
  status: 'declined' | 'rejected' | 'not_sent' | 'not_processed',
  attempt: 'declined' | 'failed' | 'expired',
  decline: Decline,
): Decision {
  const failsOver = mayFailOver && !byPerson
  return {
    operation: { status, dueInSeconds: null },
    attempt,
    payment: failsOver ? nothing : { on: 'attempt_failed', failure: failureOf(decline) },
    failsOver,
  }
}

export function failureOf(decline: Decline): Failure {
  const rule = declineOf(decline.code)
  return {
    code: decline.code,
    class: rule.class,
    advice_code: rule.advice,
    message: payerTexts[rule.advice],
    network_code: decline.networkCode ?? null,
  }
}

/** Fault codes are specific to a provider. Codes that are not decline codes become `provider_error`. */
export function codeOfFault(code: string): string {
  const declineCodes = [
    'provider_credentials_invalid',
    'provider_rate_limited',
    'provider_request_invalid',
    'vault_unavailable',
    'vault_rejected',
  ]
  return declineCodes.includes(code) ? code : 'provider_error'
}

function checkWaitOf({ checkAfterMs }: { readonly checkAfterMs?: number }, { checks }: Operation): number {
  return checkAfterMs === undefined ? checkWait(checks) : Math.max(1, checkAfterMs / 1000)
}

function stayOpen(
  status: OperationStatus,
  dueInSeconds: number | null,
  attempt: AttemptStatus | null,
  payment: PaymentMove,
): Decision {
  return { operation: { status, dueInSeconds }, attempt, payment, failsOver: false }
}

function end(status: OperationStatus, attempt: AttemptStatus | null, payment: PaymentMove): Decision {
  return { operation: { status, dueInSeconds: null }, attempt, payment, failsOver: false }
}

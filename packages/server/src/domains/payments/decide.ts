/**
 * What an outcome means for the operation, its attempt and its payment. Pure: the same facts, the same decision.
 * Three rules stand over all others: what is not known is not a failure; while it is not known nobody else is
 * asked; and what is final stays final.
 */
import type { Decline, Found } from '../../providers/contract.ts'
import { declineOf, payerTexts } from '../../providers/declines.ts'
import type { Attempt, AttemptStatus, Failure, Operation, OperationStatus, Payment } from './payment.ts'
import { resendWait } from './resending.ts'
import { isTooOld } from './resolving.ts'

/** What was learned about an operation, from its own call, a look, or a word of the provider. */
export type Learned =
  | Found
  | { readonly is: 'not_sent'; readonly fault: { readonly code: string; readonly message: string } }

export type Facts = {
  readonly payment: Payment
  readonly attempt: Attempt
  readonly operation: Operation
  readonly learned: Learned
  /** They moved another amount or currency than we asked for. */
  readonly differs: boolean
  /** Whether the route lets another account be asked after this. */
  readonly mayGoOn: boolean
  /** A person said so, long after it was asked for: nothing is tried once more by itself. */
  readonly byPerson: boolean
}

export type Decision = {
  readonly operation: {
    readonly status: OperationStatus
    /** Of one that is open: until it is asked about. Of one that has ended: until the same is sent again. */
    readonly dueInSeconds: number | null
  }
  readonly attempt: AttemptStatus | null
  readonly payment: PaymentMove
  /** Whether the route goes on with another account. */
  readonly cascade: boolean
}

/** What happens to the payment; the names are those of its machine's triggers. */
export type PaymentMove =
  | { readonly on: 'nothing' }
  | { readonly on: 'authorized' | 'captured' | 'voided' | 'capture_failed' | 'void_failed' }
  | { readonly on: 'action_required' }
  | { readonly on: 'attempt_failed'; readonly failure: Failure }
  | { readonly on: 'unresolved' }
  | { readonly on: 'needs_review' }

/** How long after each look the next one is. Then daily, until the seventh day. */
export const checkWaits = [2, 10, 60, 300, 900, 3_600, 21_600, 86_400] as const

export function checkWait(checks: number): number {
  return checkWaits[Math.min(checks, checkWaits.length - 1)] ?? 86_400
}

const nothing = { on: 'nothing' } as const

/** For `authorize` and `verify`. */
export function decideAuthorization(facts: Facts): Decision {
  const { learned, operation } = facts
  if (learned.is === 'succeeded') return approved(facts)
  if (learned.is === 'pending') return open('pending', waitOf(learned, operation), 'started', nothing)
  if (learned.is === 'action')
    return open('awaiting_customer', null, 'requires_action', { on: 'action_required' })
  if (learned.is === 'declined') return dead(facts, 'declined', 'declined', learned.decline)
  if (learned.is === 'rejected' || learned.is === 'not_sent')
    return dead(facts, learned.is, 'failed', { code: codeOfFault(learned.fault.code) })
  if (learned.is === 'closed') return undone(facts)
  if (operation.status === 'awaiting_customer') return stillAwaited(facts)
  return open('unknown', checkWait(operation.checks), 'unresolved', { on: 'unresolved' })
}

/** A look that teaches nothing does not change that the payer is awaited; but a cancellation is asked for again. */
function stillAwaited({ operation, payment }: Facts): Decision {
  const wait = payment.cancelRequestedAt === null ? null : checkWait(operation.checks)
  return open('awaiting_customer', wait, null, nothing)
}

function approved({ differs, operation, payment }: Facts): Decision {
  if (differs) return open('needs_review', null, 'unresolved', { on: 'needs_review' })
  const captured = operation.capture && payment.purpose === 'payment'
  const done = captured ? 'captured' : 'authorized'
  return final('succeeded', done, { on: done })
}

/** Proof that it never was, and never will be. If a payer was asked, it is the payer who never came back. */
function undone(facts: Facts): Decision {
  return facts.operation.challenged
    ? dead(facts, 'not_processed', 'expired', { code: 'authentication_abandoned' })
    : dead(facts, 'not_processed', 'failed', { code: 'provider_error' })
}

/** For `capture` and `void`, which are done to what is held already. */
export function decideOnHeld(facts: Facts): Decision {
  const [done, failed] =
    facts.operation.kind === 'capture'
      ? (['captured', 'capture_failed'] as const)
      : (['voided', 'void_failed'] as const)
  const isWanted = !facts.byPerson && facts.payment.cancelRequestedAt === null
  return decideAfterwards(
    { ...facts, isWanted },
    {
      done: { on: done },
      failed: { on: failed },
      unknown: { on: 'unresolved' },
      contradicted: { on: 'needs_review' },
      // What was taken before the rest was let go stays taken, and can be given back.
      attempt: facts.payment.amountCaptured > 0n ? 'captured' : done,
    },
  )
}

/** For `refund`: the payment is not moved by it, only its amounts are. */
export function decideRefund(facts: Pick<Facts, 'learned' | 'differs' | 'operation' | 'byPerson'>): Decision {
  const moves = { done: nothing, failed: nothing, unknown: nothing, contradicted: nothing }
  return decideAfterwards({ ...facts, isWanted: !facts.byPerson }, { ...moves, attempt: null })
}

/** A provider that has said nothing of use for a week is asked by a person, and that stays so until it is known. */
export function withPatience(decision: Decision, operation: Operation, now: Date): Decision {
  const { status } = decision.operation
  const isOver = operation.status === 'needs_review' || isTooOld(operation, now)
  if ((status !== 'unknown' && status !== 'pending') || !isOver) return decision
  return {
    ...decision,
    operation: { status: 'needs_review', dueInSeconds: null },
    payment: { on: 'needs_review' },
  }
}

type Afterwards = Pick<Facts, 'learned' | 'differs' | 'operation'> & {
  /** Whether it is still to happen. */
  readonly isWanted: boolean
}

/** What is asked of an account that has the money already: nobody else could do it. */
function decideAfterwards(
  { learned, differs, operation, isWanted }: Afterwards,
  moves: Record<'done' | 'failed' | 'unknown' | 'contradicted', PaymentMove> & {
    readonly attempt: AttemptStatus | null
  },
): Decision {
  if (learned.is === 'succeeded')
    return differs
      ? open('needs_review', null, null, moves.contradicted)
      : final('succeeded', moves.attempt, moves.done)
  if (learned.is === 'pending') return open('pending', waitOf(learned, operation), null, nothing)
  if (learned.is === 'unknown' || learned.is === 'absent' || learned.is === 'action')
    return open('unknown', checkWait(operation.checks), null, moves.unknown)
  const ended = final(learned.is === 'closed' ? 'not_processed' : learned.is, null, moves.failed)
  if (!isWanted) return ended
  return { ...ended, operation: { ...ended.operation, dueInSeconds: resendWait(operation, learned) } }
}

function dead(
  { mayGoOn, byPerson }: Facts,
  status: 'declined' | 'rejected' | 'not_sent' | 'not_processed',
  attempt: 'declined' | 'failed' | 'expired',
  decline: Decline,
): Decision {
  const goesOn = mayGoOn && !byPerson
  return {
    operation: { status, dueInSeconds: null },
    attempt,
    payment: goesOn ? nothing : { on: 'attempt_failed', failure: failureOf(decline) },
    cascade: goesOn,
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

/** Codes of faults are the connector's own; those that are no decline of ours are a fault of the provider. */
export function codeOfFault(code: string): string {
  const known = ['provider_credentials_invalid', 'provider_rate_limited', 'provider_request_invalid']
  return known.includes(code) ? code : 'provider_error'
}

function waitOf({ checkAfterMs }: { readonly checkAfterMs?: number }, { checks }: Operation): number {
  return checkAfterMs === undefined ? checkWait(checks) : Math.max(1, checkAfterMs / 1000)
}

function open(
  status: OperationStatus,
  dueInSeconds: number | null,
  attempt: AttemptStatus | null,
  payment: PaymentMove,
): Decision {
  return { operation: { status, dueInSeconds }, attempt, payment, cascade: false }
}

function final(status: OperationStatus, attempt: AttemptStatus | null, payment: PaymentMove): Decision {
  return { operation: { status, dueInSeconds: null }, attempt, payment, cascade: false }
}

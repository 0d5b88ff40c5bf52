/** The progress of an intent, derived from its operations and the ledger. It writes nothing. */
import type { OperationRecord } from '../../protocol.ts'
import type { Account } from '../../simulator-state.ts'
import { fromLedger } from './amounts.ts'
import { isAuthenticationFailure } from './declines.ts'
import { findMethod, type Intent, isSetup, type Method } from './stored.ts'

export type Attempt = {
  readonly index: number
  readonly record: OperationRecord
  readonly method: Method | null
}

export type Progress = {
  readonly status: string
  /** The latest attempt; null if there was none. */
  readonly attempt: Attempt | null
  /** The latest attempt that reached the card network. */
  readonly charge: Attempt | null
  readonly authorized: number
  readonly captured: number
  readonly refunded: number
  /** Whether everything that was not captured has been released. */
  readonly isFinal: boolean
  /** Includes the metadata of captures, which Stripe merges into the metadata of the intent. */
  readonly metadata: { readonly [name: string]: string }
}

/** `reported` replaces the record of its operation, for responses and webhooks that state something else. */
export function progressOf(account: Account, intent: Intent, reported?: OperationRecord): Progress {
  const recordOf = (reference: string | null) =>
    reported !== undefined && reported.reference === reference
      ? reported
      : (account.operations.get(reference ?? '')?.record ?? null)
  const attempts = intent.attempts.flatMap(({ reference, method }, index): Attempt[] => {
    const record = recordOf(reference)
    const isExecuted = record !== null && record.status !== 'rejected'
    return isExecuted ? [{ index, record, method: findMethod(account, method) ?? null }] : []
  })
  const attempt = attempts.at(-1) ?? null
  const captures = intent.captures.map((capture) => ({ ...capture, record: recordOf(capture.reference) }))
  const done = captures.filter(({ record }) => record?.status === 'succeeded')
  const isAuthorized = attempt?.record.status === 'succeeded'
  const authorized = isAuthorized ? fromLedger(attempt.record.amount ?? 0, intent.currency) : 0
  const isFinal = intent.captureMethod !== 'manual' || done.some((capture) => capture.isFinal)
  const { cancellation } = intent
  const released = cancellation === null ? null : recordOf(cancellation.reference)
  const isCancelled =
    cancellation !== null && (cancellation.reference === null || released?.status === 'succeeded')
  const isChanging = [released, ...captures.map(({ record }) => record)].some(
    (record) => record?.status === 'pending',
  )
  return {
    status: isCancelled ? 'canceled' : statusOf(intent, attempt, { isFinal, isChanging }),
    attempt,
    charge: attempts.findLast(({ record }) => hasCharge(record)) ?? null,
    authorized,
    captured: intent.captureMethod === 'manual' ? sumOf(account, intent, 'capture') : authorized,
    refunded: sumOf(account, intent, 'refund'),
    isFinal,
    metadata: withoutEmpty(Object.assign({}, intent.metadata, ...done.map((capture) => capture.metadata))),
  }
}

function statusOf(
  intent: Intent,
  attempt: Attempt | null,
  { isFinal, isChanging }: { readonly isFinal: boolean; readonly isChanging: boolean },
): string {
  switch (attempt?.record.status) {
    case 'pending':
      return 'processing'
    case 'action_required':
      return 'requires_action'
    case 'closed':
      return 'canceled'
    case 'succeeded':
      if (isSetup(intent) || isFinal) return 'succeeded'
      return isChanging ? 'processing' : 'requires_capture'
    case 'declined':
      return 'requires_payment_method'
    default:
      return intent.method === null ? 'requires_payment_method' : 'requires_confirmation'
  }
}

function hasCharge({ status, decline }: OperationRecord): boolean {
  if (status === 'declined') return decline !== undefined && !isAuthenticationFailure(decline)
  return status === 'succeeded' || status === 'pending'
}

/** Sums over the ledger, because a repeated request without idempotency captures or refunds again. */
function sumOf(account: Account, intent: Intent, fact: 'capture' | 'refund'): number {
  const root = intent.attempts.at(-1)?.reference ?? ''
  const paymentId = account.operations.get(root)?.request?.payment_id ?? ''
  const amounts = account.ledger
    .factsOfPayment(paymentId)
    .filter((entry) => entry.fact === fact && entry.parent_reference === root)
  return fromLedger(
    amounts.reduce((sum, { amount }) => sum + amount, 0),
    intent.currency,
  )
}

/** A map without the keys that were unset by an empty value. */
function withoutEmpty(texts: { readonly [name: string]: string }): { readonly [name: string]: string } {
  return Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== ''))
}

/** The customer that the card is saved for: attached by a call, or by an intent that succeeded. */
export function customerOf(account: Account, method: Method): string | null {
  if (method.customer !== null || method.isDetached) return method.customer
  const intent = account.objects.get(method.intent ?? '') as Intent | undefined
  if (intent === undefined || intent.customer === null || intent.futureUsage === null) return null
  return ['succeeded', 'requires_capture'].includes(progressOf(account, intent).status)
    ? intent.customer
    : null
}

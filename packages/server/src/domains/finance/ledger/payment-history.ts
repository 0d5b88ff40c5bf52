/**
 * Derives the history of a payment (its business transactions, in order) from its stored state, and
 * determines which postings are missing. Used for payments that were changed before the ledger existed, or by
 * a process without it. If a refund or a payment was already posted, its amounts stay on the accounts of that
 * posting, because postings never change. No side effects.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import { type DatedAct, type DatedPosting, missingPostings, type PostedLine } from './missing-postings.ts'
import { type RefundSplit, splitRefund } from './postings.ts'

export type Capture = {
  readonly id: Id<'operation'>
  readonly amount: bigint
  readonly providerAccountId: Id<'provider_account'>
  readonly at: Date
  /** Whether the rest of its authorization was voided. */
  readonly isVoided: boolean
}

export type RefundHistory = {
  readonly id: Id<'refund'>
  readonly status: 'pending' | 'succeeded' | 'failed'
  readonly amount: bigint
  /** Null if the refund was created at the provider. */
  readonly providerAccountId: Id<'provider_account'> | null
  readonly requestedAt: Date
  readonly updatedAt: Date
}

export type PaymentHistory = {
  readonly id: Id<'payment'>
  readonly currency: Currency
  readonly status: string
  readonly cancelRequestedAt: Date | null
  readonly amountCaptured: bigint
  readonly amountRefunding: bigint
  readonly amountRefunded: bigint
  readonly amountUnapplied: bigint
  readonly invoiceId: Id<'invoice'> | null
  /** Set if the payment paid its invoice: when, and what was due. */
  readonly applied: { readonly at: Date; readonly amountDue: bigint } | null
  /** In the order of their ids. */
  readonly captures: readonly Capture[]
  readonly refunds: readonly RefundHistory[]
  readonly posted: readonly PostedLine[]
}

export type DerivedPayment = {
  readonly missing: readonly DatedPosting[]
  /** The captured amount that is neither applied to an invoice nor returned. */
  readonly amountUnapplied: bigint
}

/** Null if the amounts of the payment contradict its operations, its refunds or its postings. */
export function derivePayment(payment: PaymentHistory): DerivedPayment | null {
  if (contradictsItself(payment)) return null
  const state: State = { payment, unapplied: 0n, isApplied: false, splits: new Map() }
  const acts = stepsOf(payment).map(({ at, toAct }) => ({ at, ledgerAct: toAct(state) }))
  const { unapplied } = state
  const isPossible = unapplied >= 0n && unapplied <= payment.amountCaptured
  if (!isPossible || (payment.applied !== null && unapplied !== 0n)) return null
  const missing = missingPostings(acts, payment.posted)
  return missing === null ? null : { missing, amountUnapplied: unapplied }
}

function contradictsItself({ captures, refunds, applied, ...payment }: PaymentHistory): boolean {
  const refundsWith = (status: string) => sumOf(refunds.filter((refund) => refund.status === status))
  return (
    sumOf(captures) !== payment.amountCaptured ||
    refundsWith('pending') !== payment.amountRefunding ||
    refundsWith('succeeded') !== payment.amountRefunded ||
    (applied !== null && applied.amountDue !== payment.amountCaptured)
  )
}

const sumOf = (parts: readonly { readonly amount: bigint }[]) =>
  parts.reduce((sum, { amount }) => sum + amount, 0n)

type State = {
  readonly payment: PaymentHistory
  unapplied: bigint
  isApplied: boolean
  readonly splits: Map<Id<'refund'>, RefundSplit>
}

type Step = {
  readonly at: Date
  /** The order of steps with the same time. */
  readonly rank: number
  readonly toAct: (state: State) => DatedAct['ledgerAct']
}

/**
 * A payment for an invoice is applied right after its capture, before refunds with the same time, unless a
 * posting shows that unapplied money was returned.
 */
function stepsOf(payment: PaymentHistory): Step[] {
  const { captures, refunds, applied } = payment
  const steps: Step[] = [
    ...captures.map((capture) => ({
      at: capture.at,
      rank: 0,
      toAct: (state: State) => addCapture(state, capture),
    })),
    ...(applied === null ? [] : [{ at: applied.at, rank: 2, toAct: applyToInvoice }]),
    ...refunds.flatMap((refund) => {
      const wasUnapplied = (postedSplit(payment, refund, 'refund_requested')?.unapplied ?? 0n) > 0n
      const request = {
        at: refund.requestedAt,
        rank: wasUnapplied ? 1 : 3,
        toAct: (state: State) => requestRefund(state, refund),
      }
      const end = { at: refund.updatedAt, rank: 5, toAct: (state: State) => endRefund(state, refund) }
      if (refund.status === 'pending') return [request]
      if (!isReturned(payment, refund)) return [request, end]
      const success = { at: refund.updatedAt, rank: 4, toAct: () => refundSucceeded(payment, refund) }
      return [request, success, end]
    }),
  ]
  return steps.toSorted((a, b) => a.at.getTime() - b.at.getTime() || a.rank - b.rank)
}

function addCapture(state: State, capture: Capture): DatedAct['ledgerAct'] {
  const { id: paymentId, currency, posted } = state.payment
  const { id: operationId, amount, providerAccountId } = capture
  const line = posted.find(({ causeId }) => causeId === operationId)
  const isUnapplied =
    line === undefined ? wasUnapplied(state.payment, capture) : line.creditAccount === 'unapplied'
  if (isUnapplied) state.unapplied += amount
  return { act: 'payment_captured', operationId, paymentId, providerAccountId, currency, amount, isUnapplied }
}

/**
 * A payment for an invoice is applied to it later. A payment that succeeded although it was cancelled is refunded, unless
 * it succeeded because the rest of a partial capture was voided.
 */
function wasUnapplied(
  { invoiceId, status, cancelRequestedAt, captures }: PaymentHistory,
  capture: Capture,
): boolean {
  if (invoiceId !== null) return true
  const isLast = captures.at(-1) === capture
  return cancelRequestedAt !== null && status === 'succeeded' && isLast && !capture.isVoided
}

function requestRefund(state: State, refund: RefundHistory): DatedAct['ledgerAct'] {
  const { id: paymentId, currency } = state.payment
  const split = requestSplit(state, refund)
  state.unapplied -= split.unapplied
  state.splits.set(refund.id, split)
  return { act: 'refund_requested', refundId: refund.id, paymentId, currency, ...split }
}

/** The failure of a refund reverses its request, unless the payment was applied in between. */
function requestSplit({ payment, unapplied }: State, refund: RefundHistory): RefundSplit {
  const posted = postedSplit(payment, refund, 'refund_requested')
  if (posted !== null) return posted
  const isAppliedBefore = payment.applied !== null && payment.applied.at <= refund.updatedAt
  const reversed = isAppliedBefore ? null : postedSplit(payment, refund, 'refund_failed')
  return reversed ?? splitRefund(unapplied, refund.amount)
}

function endRefund(state: State, refund: RefundHistory): DatedAct['ledgerAct'] {
  const { payment, isApplied, splits } = state
  const { id: refundId, amount } = refund
  if (refund.status === 'succeeded') return refundSucceeded(payment, refund)
  const reversed = isApplied ? { unapplied: 0n, refunded: amount } : (splits.get(refundId) as RefundSplit)
  const split = postedSplit(payment, refund, 'refund_failed') ?? reversed
  state.unapplied += split.unapplied
  return { act: 'refund_failed', refundId, paymentId: payment.id, currency: payment.currency, ...split }
}

/** Whether the refund failed after it had succeeded. Before the ledger was introduced, this was not possible. */
const isReturned = ({ posted }: PaymentHistory, refund: RefundHistory) =>
  posted.some(({ causeId, act }) => causeId === refund.id && act === 'refund_returned')

function refundSucceeded(
  { id: paymentId, currency, captures: [capture] }: PaymentHistory,
  { id: refundId, amount, ...refund }: RefundHistory,
): DatedAct['ledgerAct'] {
  const providerAccountId = (refund.providerAccountId ?? capture?.providerAccountId) as Id<'provider_account'>
  return { act: 'refund_succeeded', refundId, paymentId, currency, providerAccountId, amount }
}

function applyToInvoice(state: State): DatedAct['ledgerAct'] {
  const { id: paymentId, invoiceId, currency, amountCaptured } = state.payment
  const split = postedSplit(state.payment, { id: paymentId, amount: amountCaptured }, 'payment_applied') ?? {
    unapplied: state.unapplied,
    refunded: amountCaptured - state.unapplied,
  }
  state.unapplied -= split.unapplied
  state.isApplied = true
  return { act: 'payment_applied', paymentId, invoiceId: invoiceId as Id<'invoice'>, currency, ...split }
}

type Cause = { readonly id: Id<'payment' | 'refund'>; readonly amount: bigint }

/**
 * The amounts that the business transaction posted to `unapplied` and `refunded`; null if it was not posted.
 * One of its two lines is enough to calculate both.
 */
function postedSplit(
  { posted }: PaymentHistory,
  { id, amount }: Cause,
  act: 'payment_applied' | 'refund_requested' | 'refund_failed',
): RefundSplit | null {
  const lines = posted.filter((line) => line.causeId === id && line.act === act)
  const amountOf = (account: string) =>
    lines.find(
      ({ debitAccount, creditAccount }) =>
        (act === 'refund_failed' ? creditAccount : debitAccount) === account,
    )?.amount
  const [unapplied, refunded] = [amountOf('unapplied'), amountOf('refunded')]
  if (unapplied !== undefined) return { unapplied, refunded: amount - unapplied }
  return refunded === undefined ? null : { unapplied: amount - refunded, refunded }
}

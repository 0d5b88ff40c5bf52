/** Refunds all or part of a captured amount. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { idFromUuid } from '../../../../kernel/id.ts'
import { allowedActions } from '../../../../kernel/machine.ts'
import { mergeMetadata } from '../../../../kernel/metadata.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { completeUnapplied } from '../../../finance/ledger/service/complete.ts'
import { findAccount } from '../../../routing/provider-accounts/service.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import { refundCapture } from '../operations/add-operation.ts'
import { withoutDisputedPart } from '../operations/automatic-refund.ts'
import type { Progress } from '../operations/progress.ts'
import { takeRebuilt } from '../operations/references.ts'
import { runInRequest } from '../operations/run.ts'
import { isAwaitingBank, type Payment, refundableAmount } from '../payment.ts'
import type { Refund } from '../refund.ts'
import { disputedAmount } from '../store/disputed.ts'
import { keptForPeriod, lockPaidInvoice, type PaidInvoice } from '../store/paid-invoice.ts'
import { lockPayment } from '../store/payments.ts'
import { refundsOf, refundWithPayment } from '../store/refunds.ts'

export { findRefund } from '../store/refunds.ts'

const maxRefunds = 100

export type RefundInput = {
  readonly payment_id: string
  readonly amount?: number | undefined
  readonly reason?: Refund['reason'] | undefined
  readonly source?: Refund['source']
  readonly metadata?: Readonly<Record<string, string | null>> | undefined
}

export function createRefund(deps: Deps, caller: Caller, input: RefundInput): Promise<Progress> {
  return runInRequest(deps, caller, 'refund', async (tx) => {
    // Lock order: the subscription and the invoice before the payment, as when a credit note is issued.
    const [rebuilt, paidInvoice] = await Promise.all([takeRebuilt(tx), lockPaidInvoice(tx, input.payment_id)])
    if (rebuilt !== null) return rebuiltRefund(tx, rebuilt)
    const payment = await lockPayment(tx, input.payment_id)
    if (input.amount !== undefined && BigInt(input.amount) < payment.amountCaptured)
      await requirePartialRefunds(tx, payment, '/amount')
    await requireUndisputed(tx, payment, input)
    requireNotCredited(payment, paidInvoice, input)
    await requireKeptForPeriod(tx, { payment, invoice: paidInvoice }, input)
    return refundLocked(tx, payment, input)
  })
}

/** Returns a refund that was made before the database was restored. */
async function rebuiltRefund(tx: Tx, uuid: string): Promise<Progress> {
  const { refund, payment } = await refundWithPayment(tx, idFromUuid('refund', tx.caller.mode, uuid))
  return { id: refund.id, payment, next: null, refund }
}

/** Refuses to refund a disputed amount, because the cardholder could receive it twice. */
async function requireUndisputed(tx: Tx, payment: Payment, input: RefundInput): Promise<void> {
  const disputed = await disputedAmount(tx, payment.id)
  const refundable = refundableAmount(payment)
  const amount = input.amount === undefined ? refundable : BigInt(input.amount)
  const free = refundable > disputed ? refundable - disputed : 0n
  if (disputed > 0n && amount > free && amount <= refundable)
    refuse('payment_disputed', {
      detail: `${disputed} of the captured ${payment.amountCaptured} is disputed: at most ${free} can be refunded.`,
    })
}

/** Amounts that credit notes have returned as customer credit are not refunded again. */
function requireNotCredited(payment: Payment, invoice: PaidInvoice | null, input: RefundInput): void {
  if (invoice === null || invoice.creditedBalance === 0n) return
  const refundable = refundableAmount(payment)
  const { amountRefunded, amountRefunding } = payment
  const left = invoice.paid - invoice.creditedBalance - amountRefunded - amountRefunding
  const amount = input.amount === undefined ? refundable : BigInt(input.amount)
  if (amount > left && amount <= refundable)
    refuseMember(
      '/amount',
      'too_large',
      `must be ${left < 0n ? 0n : left} or less: credit notes of the invoice have returned the rest as credit`,
    )
}

/**
 * A change or a cancellation may have credited unused time of the period. Credited amounts are not refunded
 * again.
 */
async function requireKeptForPeriod(
  tx: Tx,
  { payment, invoice }: { readonly payment: Payment; readonly invoice: PaidInvoice | null },
  input: RefundInput,
): Promise<void> {
  if (invoice?.isForPeriod !== true) return
  const refundable = refundableAmount(payment)
  const kept = await keptForPeriod(tx, invoice)
  const amount = input.amount === undefined ? refundable : BigInt(input.amount)
  if (amount > kept && amount <= refundable)
    refuseMember(
      '/amount',
      'too_large',
      `must be ${kept < 0n ? 0n : kept} or less: the rest of the period was returned as credit`,
    )
}

/**
 * Requires that the payment of an invoice can be refunded in part, and returns the disputed amount. The caller has locked the
 * invoice.
 */
export async function requireRefundable(
  tx: Tx,
  paymentId: Payment['id'],
  refund: bigint,
): Promise<{ readonly disputed: bigint }> {
  const payment = await lockPayment(tx, paymentId)
  if (refund > 0n && refund < payment.amountCaptured)
    await requirePartialRefunds(tx, payment, '/refund_amount')
  return { disputed: await disputedAmount(tx, paymentId) }
}

async function requirePartialRefunds(
  tx: Tx,
  { providerAccountId, amountCaptured }: Payment,
  pointer: string,
): Promise<void> {
  const account = providerAccountId === null ? null : await findAccount(tx, providerAccountId)
  if (account?.capabilities.partialRefund === false)
    refuseMember(
      pointer,
      'not_in_list',
      `must be ${amountCaptured}: this provider account refunds only the whole captured amount`,
    )
}

/**
 * Creates an automatic refund in the caller’s transaction, without the disputed part. Call `runInBackground` after the
 * commit to send it. Returns null if everything is disputed.
 */
export async function beginRefund(tx: Tx, input: RefundInput): Promise<Progress | null> {
  const locked = await lockPayment(tx, input.payment_id)
  const requested = input.amount === undefined ? refundableAmount(locked) : BigInt(input.amount)
  const { payment, amount } = await withoutDisputedPart(tx, locked, requested)
  return amount === 0n ? null : refundLocked(tx, payment, { ...input, amount: Number(amount) })
}

async function refundLocked(tx: Tx, before: Payment, input: RefundInput): Promise<Progress> {
  const refundable = refundableAmount(before)
  if (isAwaitingBank(before))
    refuseState(before, 'The bank has not confirmed this debit yet: refund it once it is settled.')
  if (before.amountCaptured === 0n) refuseState(before, 'Nothing was captured, so nothing can be refunded.')
  if (before.amountReversed > 0n)
    refuseState(before, 'The bank has returned this debit to the payer, so it cannot be refunded.')
  const amount = input.amount === undefined ? refundable : BigInt(input.amount)
  if (amount > refundable || amount === 0n)
    refuseMember('/amount', 'too_large', `must be ${refundable} or less, the amount that can be refunded`)
  if ((await refundsOf(tx, before.id)).length >= maxRefunds)
    refuseState(before, `Limit reached: a payment can have at most ${maxRefunds} refunds.`)
  const amountUnapplied = await completeUnapplied(tx, before)
  const progress = await refundCapture(
    tx,
    { ...before, amountUnapplied },
    {
      amount,
      reason: input.reason ?? 'requested_by_customer',
      source: input.source ?? 'api',
      metadata: mergeMetadata({}, input.metadata ?? {}),
    },
  )
  return { ...progress, id: progress.refund.id }
}

function refuseState(payment: Payment, detail: string): never {
  return refuse('invalid_state', {
    detail,
    current_status: payment.status,
    allowed_actions: allowedActions(paymentMachine, payment.status, factsOf(payment)),
  })
}

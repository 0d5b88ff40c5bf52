/** Refunds all or part of a captured amount. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuse, refuseMember } from '../../../../kernel/errors.ts'
import { allowedActions } from '../../../../kernel/machine.ts'
import { mergeMetadata } from '../../../../kernel/metadata.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { completeUnapplied } from '../../../finance/ledger/service/complete.ts'
import { findAccount } from '../../../routing/provider-accounts/service.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import { refundCapture } from '../operations/add-operation.ts'
import { withoutDisputedPart } from '../operations/automatic-refund.ts'
import type { Progress } from '../operations/progress.ts'
import { runInRequest } from '../operations/run.ts'
import { isAwaitingBank, type Payment, refundableAmount } from '../payment.ts'
import type { Refund } from '../refund.ts'
import { disputedAmount } from '../store/disputed.ts'
import { lockPayment } from '../store/payments.ts'
import { refundsOf } from '../store/refunds.ts'

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
    const payment = await lockPayment(tx, input.payment_id)
    if (input.amount !== undefined && BigInt(input.amount) < payment.amountCaptured)
      await requirePartialRefunds(tx, payment)
    await requireUndisputed(tx, payment, input)
    return refundLocked(tx, payment, input)
  })
}

/** The cardholder would get the disputed amount twice. */
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

async function requirePartialRefunds(tx: Tx, { providerAccountId, amountCaptured }: Payment): Promise<void> {
  const account = providerAccountId === null ? null : await findAccount(tx, providerAccountId)
  if (account?.capabilities.partialRefund === false)
    refuseMember(
      '/amount',
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

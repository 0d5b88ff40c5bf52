/**
 * What is asked of the account that holds or took the money, since nobody else could do it: capture, let go, give
 * back. It is written here and sent by whoever gets the operation.
 */
import { addSeconds } from '../../../kernel/clock.ts'
import type { Id } from '../../../kernel/id.ts'
import { step } from '../../../kernel/machine.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import type { Attempt, Operation, Payment, Refund } from '../payment.ts'
import * as operations from '../store/operations.ts'
import type { PaymentChanges } from '../store/payments.ts'
import * as refunds from '../store/refunds.ts'
import { dropCaptures } from '../store/resends.ts'
import { leaseSeconds, nextNumber } from './intend.ts'
import type { Progress } from './record.ts'
import { tell } from './tell.ts'

export type Wish = {
  readonly kind: 'capture' | 'void' | 'refund'
  readonly amount: bigint
  readonly final?: boolean
  readonly refundId?: Id<'refund'>
  /** How often the same was sent before. */
  readonly resends?: number
}

/** To the attempt that holds or took the money. What was to be captured again is not, if something else is asked. */
export async function order(tx: Tx, payment: Payment, wish: Wish): Promise<Operation> {
  if (wish.kind !== 'refund') await dropCaptures(tx, payment.id)
  const attempts = await operations.listAttempts(tx, payment.id)
  const attempt = attempts.find(({ status }) => status === 'authorized' || status === 'captured') as Attempt
  return orderAt(tx, payment, attempt, wish)
}

/** To an attempt of which one knows that it holds something, whatever its row says. */
export async function orderAt(
  tx: Tx,
  payment: Payment,
  { id: attemptId, providerAccountId }: Attempt,
  { kind, amount, final = true, refundId, resends = 0 }: Wish,
): Promise<Operation> {
  return operations.insertOperation(tx, payment.id, {
    ...{ attemptId, kind, amount, final, providerAccountId, resends },
    refundId: refundId ?? null,
    number: await nextNumber(tx, payment.id),
    currency: payment.currency,
    capture: false,
    leaseUntil: addSeconds(tx.now, leaseSeconds),
    completeBeforeAt: null,
  })
}

/** Of what is held. It has ended when the provider says so. */
export async function letGo(tx: Tx, before: Payment, asked: PaymentChanges): Promise<Progress> {
  step(paymentMachine, { state: before.status, trigger: 'cancel', facts: factsOf(before) })
  const payment = await tell(tx, before, { ...asked, status: 'processing' }, events.paymentUpdated)
  const next = await order(tx, payment, { kind: 'void', amount: before.amountCapturable })
  return { id: payment.id, payment, next }
}

/** Of what was taken. Until the provider says that it is on its way back, the amount can be given back only once. */
export async function giveBack(
  tx: Tx,
  before: Payment,
  wish: Pick<Refund, 'amount' | 'reason' | 'source' | 'metadata'>,
): Promise<Progress & { readonly refund: Refund }> {
  const { amount } = wish
  const refund = await refunds.insertRefund(tx, before.id, { ...wish, currency: before.currency })
  tx.emit(events.refundCreated, { after: refund })
  const amountRefunding = before.amountRefunding + amount
  const payment = await tell(tx, before, { amountRefunding }, events.paymentUpdated)
  const next = await order(tx, payment, { kind: 'refund', amount, refundId: refund.id })
  return { id: payment.id, payment, next, refund }
}

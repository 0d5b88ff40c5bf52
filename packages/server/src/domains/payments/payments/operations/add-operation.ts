/**
 * Captures, voids and refunds. Only the account that authorized the payment can perform them. The functions
 * write the operation, and the caller sends it after the commit.
 */
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Id } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { postAct, splitRefund } from '../../../finance/ledger/service/post.ts'
import * as events from '../events.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import type { Attempt, Operation, Payment } from '../payment.ts'
import type { Refund } from '../refund.ts'
import { leaseSeconds } from '../rules/expiry.ts'
import { nextOperationNumber } from '../rules/reference.ts'
import * as operations from '../store/operations.ts'
import type { PaymentChanges } from '../store/payments.ts'
import * as refunds from '../store/refunds.ts'
import { clearCaptureResends } from '../store/resends.ts'
import type { Progress } from './progress.ts'
import { addedReference } from './references.ts'
import { updateAndEmit } from './update-and-emit.ts'

export type OperationRequest = {
  readonly kind: 'capture' | 'void' | 'refund'
  readonly amount: bigint
  readonly final?: boolean
  readonly refundId?: Id<'refund'>
  /** How many times the same request was sent before. */
  readonly resends?: number
  /** The reference of an operation that the provider has performed already. */
  readonly reference?: string
  /** The operation that this one sends again. */
  readonly repeated?: Operation
}

/**
 * Creates an operation for the attempt that was authorized or captured. A new capture or void replaces a
 * scheduled resend.
 */
export async function addOperation(tx: Tx, payment: Payment, request: OperationRequest): Promise<Operation> {
  if (request.kind !== 'refund') await clearCaptureResends(tx, payment.id)
  const attempts = await operations.listAttempts(tx, payment.id)
  const attempt = attempts.find(({ status }) => status === 'authorized' || status === 'captured') as Attempt
  return addOperationTo(tx, payment, attempt, request)
}

/** Creates an operation for a given attempt, whatever its status. */
export async function addOperationTo(
  tx: Tx,
  payment: Payment,
  { id: attemptId, providerAccountId }: Attempt,
  { kind, amount, final = true, refundId, resends = 0, repeated, reference }: OperationRequest,
): Promise<Operation> {
  const existing = await operations.listOperations(tx, payment.id)
  return operations.insertOperation(tx, payment.id, {
    attemptId,
    kind,
    amount,
    final,
    providerAccountId,
    resends,
    refundId: refundId ?? null,
    number: nextOperationNumber(existing),
    reference: reference ?? (await addedReference(tx, payment.id, existing, repeated)),
    currency: payment.currency,
    capture: false,
    leaseUntil: addSeconds(tx.now, leaseSeconds),
    completeBeforeAt: null,
  })
}

/** Starts a void. The payment is cancelled when the provider confirms it. */
export async function voidAuthorization(
  tx: Tx,
  before: Payment,
  changes: PaymentChanges,
  reference?: string,
): Promise<Progress> {
  nextTransition(paymentMachine, { state: before.status, trigger: 'cancel', facts: factsOf(before) })
  const payment = updateAndEmit(tx, before, { ...changes, status: 'processing' }, events.paymentUpdated)
  const named = reference === undefined ? {} : { reference }
  const next = await addOperation(tx, payment, { kind: 'void', amount: before.amountCapturable, ...named })
  return { id: payment.id, payment, next }
}

/**
 * Starts a refund. Its amount counts as refunding until the provider responds, so that it cannot be refunded
 * twice.
 */
export async function refundCapture(
  tx: Tx,
  before: Payment,
  request: Pick<Refund, 'amount' | 'reason' | 'source' | 'metadata'> & { readonly reference?: string },
): Promise<Progress & { readonly refund: Refund }> {
  const { reference, ...requested } = request
  const { amount } = requested
  const refund = await refunds.insertRefund(tx, before.id, { ...requested, currency: before.currency })
  tx.emit(events.refundCreated, { after: refund })
  const split = splitRefund(before.amountUnapplied, amount)
  const { id: paymentId, currency } = before
  postAct(tx, { act: 'refund_requested', refundId: refund.id, paymentId, currency, ...split })
  const changes = {
    amountRefunding: before.amountRefunding + amount,
    amountUnapplied: before.amountUnapplied - split.unapplied,
  }
  const payment = updateAndEmit(tx, before, changes, events.paymentUpdated)
  const named = reference === undefined ? {} : { reference }
  const next = await addOperation(tx, payment, { kind: 'refund', amount, refundId: refund.id, ...named })
  return { id: payment.id, payment, next, refund }
}

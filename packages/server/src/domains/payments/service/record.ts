/** Writes what was learned about an operation, and says what follows from it. */
import type { Deps } from '../../../deps.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { asRepeat } from '../../../providers/evidence.ts'
import { findPaymentMethod, type PaymentMethod } from '../../payment-methods/service.ts'
import type { NewCall } from '../call.ts'
import {
  type Decision,
  decideAuthorization,
  decideOnHeld,
  failureOf,
  type Learned,
  type PaymentMove,
  withPatience,
} from '../decide.ts'
import { type Attempt, isDead, isOpen, type Operation, type Payment, type Refund } from '../payment.ts'
import { insertCall } from '../store/calls.ts'
import * as operations from '../store/operations.ts'
import * as store from '../store/payments.ts'
import * as refunds from '../store/refunds.ts'
import { compareWithBooks, recordUndoing } from './conflict.ts'
import { mayAskAnother, settleBudget } from './go-on.ts'
import { startAttempt } from './intend.ts'
import { move } from './move.ts'
import { giveBack, letGo } from './orders.ts'
import { recordRefund } from './record-refund.ts'
import { endUnresolved } from './tell.ts'
import { declineIn, writeAttempt, writeOperation } from './write.ts'

export type Seen = {
  readonly learned: Learned
  readonly differs: boolean
  readonly requestHash?: Buffer | undefined
  /** Whether it was asked about rather than sent: the next question comes later each time. */
  readonly checked?: boolean
  /** Where a payer who has to act is sent to. */
  readonly payerAddress?: string
  /** What the provider calls a card that is kept. */
  readonly sealedToken?: Buffer
  /** The call by which it was learned, if there was one. */
  readonly call?: NewCall
  /** A person said so. */
  readonly byPerson?: boolean
}

/** How far a payment has come, and the operation that is to be sent next, if any is. */
export type Progress = {
  /** What the request is about: the payment, or its refund. */
  readonly id: Id<'payment'> | Id<'refund'>
  readonly payment: Payment
  readonly next: Operation | null
  /** The refund that it was about, if it was. */
  readonly refund?: Refund
  /** The payment method that came of a verification. */
  readonly method?: PaymentMethod
}

export async function record(
  deps: Deps,
  tx: Tx,
  paymentId: Id<'payment'>,
  operationId: Id<'operation'>,
  heard: Seen,
): Promise<Progress> {
  // They leave together. The lock is taken first, so the others see what its last holder has written.
  const [payment, all, attempts] = await Promise.all([
    store.lockPayment(tx, paymentId),
    operations.listOperations(tx, paymentId),
    operations.listAttempts(tx, paymentId),
  ])
  const operation = all.find(({ id }) => id === operationId)
  if (operation === undefined) return standing(tx, payment)
  const attempt = attempts.find(({ id }) => id === operation.attemptId) as Attempt
  const seen = asTakenOver(operation, heard)
  const [reached] = await Promise.all([
    recordLearned(deps, tx, { payment, attempt, operation, seen, attempts }),
    seen.call === undefined ? null : insertCall(tx, operation, seen.call),
  ])
  return reached
}

/**
 * Whoever sent it first and comes back after its lease is not the last to have sent it: the resolver may have
 * repeated it meanwhile. That the first call did not leave, or was put away, proves nothing any more.
 */
function asTakenOver({ status }: Operation, seen: Seen): Seen {
  return status === 'sending' || seen.byPerson ? seen : { ...seen, learned: asRepeat(seen.learned) }
}

async function recordLearned(deps: Deps, tx: Tx, { attempts, ...learning }: Living): Promise<Progress> {
  const { payment, attempt, operation } = learning
  // Final is final: a late word is compared, and overwrites nothing.
  if (!isOpen(operation)) {
    const known = { ...(await standing(tx, payment)), ...(await refundIn(tx, operation)) }
    return { ...known, ...(await compareWithBooks(tx, learning)) }
  }
  if (operation.refundId !== null) return recordRefund(tx, learning)
  if (isDead(attempt)) return { ...(await standing(tx, payment)), ...(await recordUndoing(tx, learning)) }
  return recordOnLive(deps, tx, { ...learning, attempts })
}

export type Learning = {
  readonly payment: Payment
  readonly attempt: Attempt
  readonly operation: Operation
  readonly seen: Seen
}
type Living = Learning & { readonly attempts: readonly Attempt[] }

async function recordOnLive(deps: Deps, tx: Tx, living: Living): Promise<Progress> {
  const { payment, attempt, operation, attempts, seen } = living
  const mayGoOn = await mayAskAnother(deps, tx, living)
  const decision = withPatience(decide(living, mayGoOn), operation, tx.now)
  await Promise.all([
    writeOperation(tx, operation, decision, seen),
    writeAttempt(tx, attempt, decision, seen),
    settleBudget(tx, payment, attempt, { operation, seen }),
  ])
  const known = await endUnresolved(tx, payment, decision)
  if (decision.cascade) {
    const tried = attempts.map(({ providerAccountId }) => providerAccountId)
    const next = await startAttempt(deps, tx, known, tried)
    if (next !== null) return next
  }
  const after = await move(tx, known, operation, { move: moveOf(decision, seen), seen })
  return goOn(tx, { before: known, after, operation })
}

/** How far it has come, with nothing to send. */
export async function standing(tx: Tx, payment: Payment): Promise<Progress> {
  const { id, paymentMethodId, purpose } = payment
  if (purpose !== 'verification' || paymentMethodId === null) return { id, payment, next: null }
  return { id, payment, next: null, method: await findPaymentMethod(tx, paymentMethodId) }
}

/** Whoever asked for a refund is answered with it, also if the provider's own word was recorded before ours. */
async function refundIn(tx: Tx, { paymentId, refundId }: Operation): Promise<Partial<Progress>> {
  if (refundId === null) return {}
  const refund = await refunds.refundOf(tx, paymentId, refundId)
  return { id: refund.id, refund }
}

type Moved = { readonly before: Payment; readonly after: Payment; readonly operation: Operation }

/** If somebody has asked to cancel meanwhile, what is held is let go, and what was taken is given back. */
async function goOn(tx: Tx, { before, after, operation }: Moved): Promise<Progress> {
  if (after.cancelRequestedAt === null || after.status === before.status) return standing(tx, after)
  if (after.status === 'requires_capture' && operation.kind !== 'void') return letGo(tx, after, {})
  const taken = after.amountCaptured - before.amountCaptured
  if (after.status !== 'succeeded' || taken === 0n) return standing(tx, after)
  const { refund: _, ...progress } = await giveBack(tx, after, {
    amount: taken,
    reason: 'other',
    source: 'automatic',
    metadata: {},
  })
  return progress
}

function decide({ payment, attempt, operation, seen }: Living, mayGoOn: boolean): Decision {
  const facts = {
    payment,
    attempt,
    operation,
    learned: seen.learned,
    differs: seen.differs,
    mayGoOn,
    byPerson: seen.byPerson ?? false,
  }
  const isAuthorization = operation.kind === 'authorize' || operation.kind === 'verify'
  return isAuthorization ? decideAuthorization(facts) : decideOnHeld(facts)
}

/** The route may have no account left though it would allow one: then the failure is the payment's. */
function moveOf({ cascade, payment }: Decision, { learned }: Seen): PaymentMove {
  if (!cascade) return payment
  return { on: 'attempt_failed', failure: failureOf(declineIn(learned)) }
}

/** What is written before anybody is asked: the payment, its attempt, and the operation that is to be sent. */
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { listCandidates } from '../../provider-accounts/service.ts'
import { failureOf } from '../decide.ts'
import * as events from '../events.ts'
import type { Intent, Operation, Payment } from '../payment.ts'
import { type Candidate, type Choice, choose, type Wish } from '../route.ts'
import * as operations from '../store/operations.ts'
import * as store from '../store/payments.ts'
import type { Progress } from './record.ts'

/** Longer than the longest call: after it a sender must not send, before it nobody else asks. */
export const leaseSeconds = 70
/** After this no repeat may complete it: the payer has left, and would be surprised. */
const completeWithinSeconds = { customer: 600, merchant: 86_400 } as const

/** The payment as it is asked for, and the account it can be made at, if only one holds the card. */
export type Asked = { readonly intent: Intent; readonly onlyAt: Id<'provider_account'> | null }

export async function intend(tx: Tx, { intent, onlyAt }: Asked): Promise<Progress> {
  const payment = await store.insertPayment(tx, intent, 'processing')
  if (intent.orderReference !== null && !(await store.claimOrder(tx, intent.orderReference, payment.id)))
    refuse('order_has_payment')
  tx.emit(events.paymentCreated, { after: payment })
  const begun = await startAttempt(tx, payment, [], onlyAt)
  if (begun !== null) return begun
  return { id: payment.id, payment: await failWithoutProvider(tx, payment), next: null }
}

/** The next account that can take it, with an operation to send; null if there is none. */
export async function startAttempt(
  tx: Tx,
  payment: Payment,
  tried: readonly string[],
  onlyAt: Id<'provider_account'> | null = null,
): Promise<Progress | null> {
  const { chosen, trace } = await chooseFor(tx, payment, tried, onlyAt)
  if (chosen === null) return null
  const number = tried.length + 1
  const providerAccountId = chosen as Id<'provider_account'>
  const attempt = await operations.insertAttempt(tx, payment.id, {
    ...{ number, providerAccountId, trace, fingerprint: payment.fingerprint },
  })
  const next = await operations.insertOperation(tx, payment.id, {
    attemptId: attempt.id,
    refundId: null,
    kind: kindOf(payment),
    number: await nextNumber(tx, payment.id),
    amount: payment.amount,
    currency: payment.currency,
    capture: payment.captureMethod === 'automatic' && payment.purpose === 'payment',
    final: true,
    providerAccountId,
    leaseUntil: addSeconds(tx.now, leaseSeconds),
    completeBeforeAt: addSeconds(tx.now, completeWithinSeconds[payment.initiator]),
  })
  const counted = await store.updatePayment(
    tx,
    payment,
    { attemptsCount: number, providerAccountId, dueAt: payment.dueAt },
    false,
  )
  return { id: payment.id, payment: counted, next }
}

/** References are numbered within the payment, without end. */
export async function nextNumber(tx: Tx, paymentId: Id<'payment'>): Promise<number> {
  const known: readonly Operation[] = await operations.listOperations(tx, paymentId)
  return Math.max(0, ...known.map(({ number }) => number)) + 1
}

const kindOf = ({ purpose }: Payment) => (purpose === 'verification' ? 'verify' : 'authorize')

async function chooseFor(
  tx: Tx,
  payment: Payment,
  tried: readonly string[],
  onlyAt: Id<'provider_account'> | null,
): Promise<Choice> {
  const accounts = await listCandidates(tx)
  const candidates: Candidate[] = accounts.map(({ id, cardData, capabilities, hold }) => ({
    id,
    cardData,
    capabilities,
    isHeld: hold !== null && hold.untilAt > tx.now,
  }))
  const wish: Wish = {
    kind: kindOf(payment),
    amount: payment.amount,
    currency: payment.currency,
    brand: payment.card.brand,
    country: payment.card.country,
    manualCapture: payment.captureMethod === 'manual',
    merchantInitiated: payment.initiator === 'merchant',
    hasNumber: payment.vaultCardUuid !== null,
    onlyAt,
  }
  return choose(candidates, wish, tried)
}

async function failWithoutProvider(tx: Tx, payment: Payment): Promise<Payment> {
  const failure = failureOf({ code: 'no_eligible_provider' })
  const after = await store.updatePayment(tx, payment, { status: 'failed', failure }, true)
  tx.emit(events.paymentFailed, { before: payment, after })
  await store.releaseOrder(tx, after)
  return after
}

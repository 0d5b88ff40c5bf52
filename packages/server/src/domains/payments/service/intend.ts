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

/** What is asked for may still be read: the accounts are read meanwhile. */
export async function intend(tx: Tx, asked: Promise<Asked>): Promise<Progress> {
  const id = tx.newId('payment')
  const [{ intent, onlyAt }, accounts] = await Promise.all([asked, listCandidates(tx)])
  const { orderReference } = intent
  const { chosen, trace } = chooseFor(tx, accounts, intent, { tried: [], onlyAt })
  const attemptsCount = chosen === null ? 0 : 1
  // Their ids are ours, so no row waits for another: they leave together.
  const [payment, isClaimed, next] = await Promise.all([
    store.insertPayment(tx, { ...intent, id, providerAccountId: chosen, attemptsCount }),
    orderReference === null || store.claimOrder(tx, orderReference, id),
    chosen === null ? null : beginAttempt(tx, { ...intent, id }, { chosen, trace, attempt: 1, operation: 1 }),
  ])
  if (!isClaimed) refuse('order_has_payment')
  tx.emit(events.paymentCreated, { after: payment })
  if (next !== null) return { id, payment, next }
  return { id, payment: await failWithoutProvider(tx, payment), next: null }
}

/** The next account that can take it, with an operation to send; null if there is none. */
export async function startAttempt(
  tx: Tx,
  payment: Payment,
  tried: readonly string[],
): Promise<Progress | null> {
  const { chosen, trace } = chooseFor(tx, await listCandidates(tx), payment, { tried, onlyAt: null })
  if (chosen === null) return null
  const [attempt, operation] = [tried.length + 1, await nextNumber(tx, payment.id)]
  const next = await beginAttempt(tx, payment, { chosen, trace, attempt, operation })
  const counts = { attemptsCount: attempt, providerAccountId: chosen, dueAt: payment.dueAt }
  const counted = await store.updatePayment(tx, payment, counts, false)
  return { id: payment.id, payment: counted, next }
}

type Beginning = {
  readonly chosen: Id<'provider_account'>
  readonly trace: Choice['trace']
  /** The numbers of the attempt and of its operation. */
  readonly attempt: number
  readonly operation: number
}

async function beginAttempt(
  tx: Tx,
  payment: Intent & Pick<Payment, 'id'>,
  { chosen, trace, attempt: number, operation }: Beginning,
): Promise<Operation> {
  const id = tx.newId('payment_attempt')
  const { fingerprint } = payment
  const [next] = await Promise.all([
    operations.insertOperation(tx, payment.id, {
      attemptId: id,
      refundId: null,
      kind: kindOf(payment),
      number: operation,
      amount: payment.amount,
      currency: payment.currency,
      capture: payment.captureMethod === 'automatic' && payment.purpose === 'payment',
      final: true,
      providerAccountId: chosen,
      leaseUntil: addSeconds(tx.now, leaseSeconds),
      completeBeforeAt: addSeconds(tx.now, completeWithinSeconds[payment.initiator]),
    }),
    operations.insertAttempt(tx, payment.id, { id, number, providerAccountId: chosen, trace, fingerprint }),
  ])
  return next
}

/** References are numbered within the payment, without end. */
export async function nextNumber(tx: Tx, paymentId: Id<'payment'>): Promise<number> {
  const known: readonly Operation[] = await operations.listOperations(tx, paymentId)
  return Math.max(0, ...known.map(({ number }) => number)) + 1
}

const kindOf = ({ purpose }: Pick<Intent, 'purpose'>) => (purpose === 'verification' ? 'verify' : 'authorize')

function chooseFor(
  tx: Tx,
  accounts: Awaited<ReturnType<typeof listCandidates>>,
  payment: Intent,
  { tried, onlyAt }: { readonly tried: readonly string[] } & Pick<Asked, 'onlyAt'>,
): Choice & { readonly chosen: Id<'provider_account'> | null } {
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
  const { chosen, trace } = choose(candidates, wish, tried)
  return { chosen: chosen as Id<'provider_account'> | null, trace }
}

async function failWithoutProvider(tx: Tx, payment: Payment): Promise<Payment> {
  const failure = failureOf({ code: 'no_eligible_provider' })
  const after = await store.updatePayment(tx, payment, { status: 'failed', failure }, true)
  tx.emit(events.paymentFailed, { before: payment, after })
  await store.releaseOrder(tx, after)
  return after
}

/** What is written before anybody is asked: the payment, its attempt, and the operation that is to be sent. */
import type { Deps } from '../../../deps.ts'
import { addSeconds } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import { reserveSlot } from '../../card-budgets/service.ts'
import { isCustomerThere, requireCustomer } from '../../customers/service.ts'
import {
  type CompiledRoute,
  decideFor,
  operandsOf,
  type PaymentFacts,
  pinnedRoute,
  routeFor,
} from '../../payment-routes/service/decide.ts'
import { failureOf } from '../decide.ts'
import * as events from '../events.ts'
import type { Intent, Operation, Payment, Trace } from '../payment.ts'
import * as operations from '../store/operations.ts'
import * as store from '../store/payments.ts'
import { slotOf } from './go-on.ts'
import type { Progress } from './record.ts'

/** Longer than the longest call: after it a sender must not send, before it nobody else asks. */
export const leaseSeconds = 70
/** After this no repeat may complete it: the payer has left, and would be surprised. */
const completeWithinSeconds = { customer: 600, merchant: 86_400 } as const

/** The payment as it is asked for, the route it names, and the account it can be made at, if only one holds the card. */
export type Asked = {
  readonly intent: Intent
  readonly paymentRouteId: string | null
  readonly onlyAt: Id<'provider_account'> | null
}

/** What is asked for may still be read: routes and accounts are known already. */
export async function intend(deps: Deps, tx: Tx, wanted: Promise<Asked>): Promise<Progress> {
  const id = tx.newId('payment')
  const asked = await wanted
  const { intent } = asked
  const route = await routeFor(deps, tx, asked.paymentRouteId)
  const newborn = { ...intent, id, paymentRouteId: route.id, routeRevision: route.revision }
  const choice = await chooseFor(deps, tx, route, { payment: newborn, tried: [], onlyAt: asked.onlyAt })
  const begun = choice.chosen === null ? null : await reserve(deps, tx, newborn, choice.chosen)
  const place = begun === null || !begun.ok ? null : begun
  const { orderReference } = intent
  // Their ids are ours, so no row waits for another: they leave together.
  const [payment, isClaimed, next] = await Promise.all([
    store.insertPayment(tx, {
      ...newborn,
      providerAccountId: place?.chosen ?? null,
      attemptsCount: place === null ? 0 : 1,
    }),
    orderReference === null || store.claimOrder(tx, orderReference, id),
    place === null
      ? null
      : beginAttempt(tx, newborn, { ...place, trace: choice.trace, attempt: 1, operation: 1 }),
  ])
  if (!isClaimed) refuse('order_has_payment')
  tx.emit(events.paymentCreated, { after: payment })
  if (next !== null) return { id, payment, next }
  const code =
    begun !== null ? 'retry_limit_reached' : choice.declined ? 'blocked_by_rule' : 'no_eligible_provider'
  return { id, payment: await failUnsent(tx, payment, code), next: null }
}

/** The next account that can take it, with an operation to send; null if there is none, or the card's network has enough. */
export async function startAttempt(
  deps: Deps,
  tx: Tx,
  payment: Payment,
  tried: readonly string[],
): Promise<Progress | null> {
  const route = await pinnedRoute(deps, tx, payment.paymentRouteId, payment.routeRevision)
  const { chosen, trace } = await chooseFor(deps, tx, route, { payment, tried, onlyAt: null })
  if (chosen === null) return null
  const place = await reserve(deps, tx, payment, chosen)
  if (!place.ok) return null
  const [attempt, operation] = [tried.length + 1, await nextNumber(tx, payment.id)]
  const next = await beginAttempt(tx, payment, { ...place, trace, attempt, operation })
  const counts = { attemptsCount: attempt, providerAccountId: chosen, dueAt: payment.dueAt }
  const counted = await store.updatePayment(tx, payment, counts, false)
  return { id: payment.id, payment: counted, next }
}

type Begun = Intent & Pick<Payment, 'id'>
type Place = {
  readonly ok: boolean
  readonly chosen: Id<'provider_account'>
  readonly attemptId: Id<'payment_attempt'>
}

/** Among the attempts that the card's network allows, over all accounts. */
async function reserve(
  { health }: Deps,
  tx: Tx,
  payment: Begun,
  chosen: Id<'provider_account'>,
): Promise<Place> {
  const attemptId = tx.newId('payment_attempt')
  const { ok } = await reserveSlot(tx, slotOf(payment, attemptId))
  // It finds out whether the account is well again; the next ones wait for what it finds.
  if (ok && health.isOpen(chosen, 'authorize')) health.began(chosen, 'authorize')
  return { ok, chosen, attemptId }
}

type Beginning = Omit<Place, 'ok'> & {
  readonly trace: Trace
  /** The numbers of the attempt and of its operation. */
  readonly attempt: number
  readonly operation: number
}

async function beginAttempt(
  tx: Tx,
  payment: Begun,
  { chosen, attemptId: id, trace, attempt: number, operation }: Beginning,
): Promise<Operation> {
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

type Choosing = {
  readonly payment: Begun & { readonly createdAt?: Date }
  readonly tried: readonly string[]
  readonly onlyAt: Id<'provider_account'> | null
}

async function chooseFor(
  deps: Deps,
  tx: Tx,
  route: CompiledRoute,
  { payment, tried, onlyAt }: Choosing,
): Promise<{ chosen: Id<'provider_account'> | null; declined: boolean; trace: Trace }> {
  const { chosen, declined, trace } = await decideFor(deps, tx, route, {
    operands: operandsOf(await factsOf(tx, route, payment)),
    keys: { payment: payment.id, customer: payment.customerId, card: payment.fingerprint },
    instrument: { hasNumber: payment.vaultCardUuid !== null, onlyAt },
    tried,
  })
  return { chosen: chosen as Id<'provider_account'> | null, declined, trace }
}

/** A payment as rules see it. Its customer is read only for a route that asks about it. */
async function factsOf(
  tx: Tx,
  { fields }: CompiledRoute,
  payment: Choosing['payment'],
): Promise<PaymentFacts> {
  const { customerId } = payment
  const asksMore = fields.some((field) => field.startsWith('customer.') && field !== 'customer.id')
  const known = customerId !== null && asksMore && (await isCustomerThere(tx, customerId))
  const customer = known ? await requireCustomer(tx, customerId) : null
  const billing = payment.billingDetails as { readonly address?: { readonly country?: string | null } } | null
  return {
    ...payment,
    recurring: recurringOf(payment),
    billingCountry: billing?.address?.country ?? null,
    customer:
      customerId === null
        ? null
        : { id: customerId, country: customer?.address?.country ?? null, metadata: customer?.metadata ?? {} },
    lastProviderAccountId: null,
    createdAt: payment.createdAt ?? tx.now,
  }
}

/** Whether the card is kept by this payment, or was before. */
function recurringOf(payment: Intent): PaymentFacts['recurring'] {
  if (payment.paymentMethodId !== null) return 'subsequent'
  return payment.savePaymentMethod || payment.purpose === 'verification' ? 'first' : 'none'
}

/** Nobody was asked, and nobody will be. */
async function failUnsent(tx: Tx, payment: Payment, code: string): Promise<Payment> {
  const failure = failureOf({ code })
  const after = await store.updatePayment(tx, payment, { status: 'failed', failure }, true)
  tx.emit(events.paymentFailed, { before: payment, after })
  await store.releaseOrder(tx, after)
  return after
}

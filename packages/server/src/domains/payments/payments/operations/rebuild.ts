/**
 * Rebuilds operations that the provider has performed and the database has lost: writes each operation in its
 * state before it was sent, and then records the result that the provider lists.
 */
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import { type Id, parseId } from '../../../../kernel/id.ts'
import { money as moneyOf } from '../../../../kernel/money.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { ListedOperation } from '../../../../providers/contract.ts'
import { differsFrom } from '../../../../providers/evidence.ts'
import * as events from '../events.ts'
import type { Intent, Operation, Payment, Trace } from '../payment.ts'
import { leaseSeconds } from '../rules/expiry.ts'
import { isDerived, paymentInReference } from '../rules/reference.ts'
import * as operations from '../store/operations.ts'
import * as store from '../store/payments.ts'
import { writeReference } from '../store/references.ts'
import { addOperation, refundCapture, voidAuthorization } from './add-operation.ts'
import { withoutDisputedPart } from './automatic-refund.ts'
import type { Match } from './compare-listed.ts'
import { closeConflicts, flagConflict } from './conflicts.ts'
import { recordExternalRefund } from './external-refund.ts'
import type { Progress } from './progress.ts'
import { lockWithOperations, recordResult } from './record-result.ts'
import { updateAndEmit } from './update-and-emit.ts'

type Listed = ListedOperation & { readonly reference: string }

/** Records the listed result of an operation in the same way as a result that a webhook reports. */
export async function recordListed(
  deps: Deps,
  tx: Tx,
  { paymentId, id, amount, currency }: Operation,
  { providerReference: ref, money }: ListedOperation,
): Promise<Progress> {
  const result = { is: 'succeeded', ref, money } as const
  const differs = differsFrom(moneyOf(amount, currency), result)
  const observation = { source: 'webhook', result, differs, sealedToken: null } as const
  return recordResult(deps, tx, await lockWithOperations(tx, paymentId), id, observation)
}

/** The payment gets its original id if the reference contains it or the provider reports it. */
export async function rebuildPayment(
  deps: Deps,
  tx: Tx,
  accountId: Id<'provider_account'>,
  listed: Listed,
): Promise<Match> {
  const { mode } = tx.caller
  const { reference, money } = listed
  const named = listed.paymentId === null ? null : parseId('payment', mode, listed.paymentId)
  const id = paymentInReference(mode, reference) ?? named ?? tx.newId('payment')
  const intent = { ...lostIntent, amount: money.amount, currency: money.currency } as const
  const captureMethod = listed.capture ? 'automatic' : 'manual'
  const created = store.insertPayment(tx, {
    ...intent,
    id,
    captureMethod,
    providerAccountId: accountId,
    attemptsCount: 1,
    paymentRouteId: null,
    routeRevision: null,
  })
  const attemptId = tx.newId('payment_attempt')
  const attempt = { id: attemptId, number: 1, providerAccountId: accountId, trace, fingerprint: null }
  operations.insertAttempt(tx, id, attempt)
  const inserted = operations.insertOperation(tx, id, {
    attemptId,
    refundId: null,
    kind: 'authorize',
    number: 1,
    reference,
    amount: money.amount,
    currency: money.currency,
    capture: listed.capture,
    final: true,
    providerAccountId: accountId,
    leaseUntil: addSeconds(tx.now, leaseSeconds),
    completeBeforeAt: null,
  })
  if (isDerived(reference)) writeReference(tx, reference, id, id)
  tx.emit(events.paymentCreated, { after: created })
  const { payment } = await recordListed(deps, tx, inserted, listed)
  return { payment, operation: inserted }
}

/** The values of the intent that cannot be recovered, because only the lost request contained them. */
const lostIntent = {
  purpose: 'payment',
  initiator: 'merchant',
  threeDSecure: 'auto',
  customerId: null,
  paymentMethodId: null,
  tokenId: null,
  invoiceId: null,
  checkoutSessionId: null,
  paymentLinkId: null,
  methodType: 'card',
  card: {
    brand: 'unknown',
    last4: '',
    exp_month: 0,
    exp_year: 0,
    funding: null,
    country: null,
    issuer: null,
    bin: null,
  },
  debit: null,
  fingerprint: null,
  vaultCardUuid: null,
  savePaymentMethod: false,
  usage: null,
  returnUrl: null,
  orderReference: null,
  statementDescriptor: null,
  description: 'Rebuilt from the records of the provider',
  billingDetails: null,
  device: null,
  metadata: {},
} as const satisfies Partial<Intent>

const trace: Trace = {
  payment_route_id: null,
  revision: null,
  operands: {},
  rules: [],
  draw: null,
  candidates: [],
  order: [],
  cause: 'rebuilt',
}

/** The caller has checked that the operation fits the payment. `final`: whether no further capture of it is listed. */
export async function rebuildOperation(
  deps: Deps,
  tx: Tx,
  { payment }: Match,
  listed: Listed,
  final: boolean,
): Promise<Progress> {
  const { reference } = listed
  const begun = await beginListed(tx, payment, { ...listed, final })
  if (isDerived(reference)) writeReference(tx, reference, payment.id, begun.refund?.id ?? payment.id)
  assert(begun.next !== null, 'A rebuilt operation must be written before its result is recorded.')
  return recordListed(deps, tx, begun.next, listed)
}

async function beginListed(
  tx: Tx,
  before: Payment,
  { kind, money, reference, final }: Listed & { readonly final: boolean },
): Promise<Progress> {
  if (kind === 'refund')
    return refundCapture(tx, before, {
      amount: money.amount,
      reason: 'other',
      source: 'api',
      metadata: {},
      reference,
    })
  if (kind === 'void') return voidAuthorization(tx, before, {}, reference)
  const payment = updateAndEmit(tx, before, { status: 'processing' }, events.paymentUpdated)
  const capture = { kind: 'capture', amount: money.amount, final, reference } as const
  return { id: payment.id, payment, next: await addOperation(tx, payment, capture) }
}

export function recordListedRefund(tx: Tx, match: Match, listed: ListedOperation): Promise<void> {
  const { reference, providerReference, money } = listed
  return recordExternalRefund(tx, match, {
    reference: reference ?? providerReference,
    providerReference,
    money,
  })
}

export function flagRebuilt(tx: Tx, { payment, operation }: Match): Promise<void> {
  const { reference, amount, currency } = operation
  const detail = `The database had lost ${reference}, a charge of ${amount} ${currency}. Find out what was sold, or refund it.`
  return flagConflict(tx, { payment, operation }, { kind: 'rebuilt', detail })
}

export function flagContradiction(tx: Tx, match: Match, listed: ListedOperation): Promise<void> {
  const { kind, reference, providerReference, money } = listed
  const detail = `The provider lists a ${kind} of ${money.amount} ${money.currency} as ${providerReference} with the reference ${reference ?? 'none'}, which does not fit this payment.`
  return flagConflict(tx, match, { kind: 'unknown_operation', detail })
}

/** Voids or refunds a rebuilt payment. Null if nothing is left to return, or everything is disputed. */
export async function returnRebuilt(tx: Tx, { payment, operation }: Match): Promise<Progress | null> {
  const reviewed = await closeConflicts(tx, payment, operation)
  if (reviewed.status === 'requires_capture') return voidAuthorization(tx, reviewed, {})
  const left = reviewed.amountCaptured - reviewed.amountRefunded - reviewed.amountRefunding
  const { payment: before, amount } = await withoutDisputedPart(tx, reviewed, left)
  if (amount === 0n) return null
  return refundCapture(tx, before, { amount, reason: 'other', source: 'automatic', metadata: {} })
}

/**
 * Handles events of providers about an operation. An event can end an open operation, but cannot change an
 * operation that has ended.
 */
import type { Deps } from '../../../../deps.ts'
import { assert } from '../../../../kernel/assert.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Id } from '../../../../kernel/id.ts'
import { money } from '../../../../kernel/money.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { DebitReturn, Found, ProviderEvent } from '../../../../providers/contract.ts'
import { asRepeat, differsFrom } from '../../../../providers/evidence.ts'
import { providerTerms } from '../../../routing/provider-accounts/service/terms.ts'
import { findAccount } from '../../../routing/provider-accounts/service.ts'
import type { SealedToken } from '../observation.ts'
import { findOwnRefund, recordExternalRefund } from '../operations/external-refund.ts'
import type { Progress } from '../operations/progress.ts'
import { lockWithOperations, recordResult } from '../operations/record-result.ts'
import { recordReturn } from '../operations/record-return.ts'
import { usesCard } from '../operations/send.ts'
import { isOpen, type Operation, type Payment, savesCard } from '../payment.ts'
import { leaseSeconds } from '../rules/expiry.ts'
import { canBeLookedUp } from '../rules/resolve-strategy.ts'
import * as operations from '../store/operations.ts'
import { lockPayment } from '../store/payments.ts'
import { findPaymentOfReference } from '../store/references.ts'

export type ReceivedEvent = {
  readonly providerAccountId: Id<'provider_account'>
  /** Without the provider token of the card. */
  readonly event: ProviderEvent
  readonly sealedToken: SealedToken
  /** Whether the event is authenticated. An unauthenticated event only triggers a lookup. */
  readonly isAuthenticated: boolean
}

export type HandledEvent = {
  readonly paymentId: Id<'payment'>
  readonly outcome: 'recorded' | 'looked_up'
  readonly next: Progress['next']
}

/**
 * Returns null if the operation does not exist, or does not exist yet. `keep`: the event must be handled again when the
 * operation has ended.
 */
export async function handleProviderEvent(
  deps: Deps,
  tx: Tx,
  received: ReceivedEvent,
): Promise<HandledEvent | 'keep' | null> {
  const match = await lockOperation(tx, received)
  if (match === null) return null
  const { operation } = match
  if (received.event.refund !== undefined) {
    // A refund cannot be looked up, so the event must be authenticated.
    if (!received.isAuthenticated) return null
    return handleReportedRefund(deps, tx, match, received.event.refund)
  }
  if (received.event.returned !== undefined)
    return handleReturn(tx, match, received.isAuthenticated ? received.event.returned : null)
  const result = provenResult(received, operation)
  const tokenSource = result?.is === 'succeeded' ? await tokenSourceOf(deps, tx, match, received) : null
  // The event is handled again later, when the response has been recorded.
  if (tokenSource === 'response') return null
  if (result === null || tokenSource === 'lookup') return requestLookup(tx, received, operation)
  return recordReport(deps, tx, operation, { result, sealedToken: received.sealedToken })
}

/** An event that names only the payment may be about any operation of it. */
async function requestLookup(
  tx: Tx,
  received: ReceivedEvent,
  operation: Operation,
): Promise<HandledEvent | 'keep'> {
  const { reference } = received.event
  const { paymentId, attemptId } = operation
  const affected = reference === null ? await operations.listOperations(tx, paymentId) : [operation]
  for (const open of affected.filter((other) => other.attemptId === attemptId))
    await scheduleLookup(tx, open, received)
  return isEarlyFailure(received, operation) ? 'keep' : { paymentId, outcome: 'looked_up', next: null }
}

/** A refund that was requested through this API is the result of its operation. */
async function handleReportedRefund(
  deps: Deps,
  tx: Tx,
  match: LockedOperation,
  reported: NonNullable<ProviderEvent['refund']>,
): Promise<HandledEvent> {
  const own = await findOwnRefund(tx, match, reported)
  if (own === null) {
    await recordExternalRefund(tx, match, reported)
    return { paymentId: match.payment.id, outcome: 'recorded', next: null }
  }
  const result = { is: 'succeeded', ref: reported.providerReference, money: reported.money } as const
  return recordReport(deps, tx, own, { result, sealedToken: null })
}

/**
 * A return cannot be looked up, so the event must be authenticated. Returns null while the debit is not recorded as
 * confirmed: the event is handled again later.
 */
export async function handleReturn(
  tx: Tx,
  match: LockedOperation,
  returned: DebitReturn | null,
): Promise<HandledEvent | null> {
  if (returned === null || match.payment.amountCaptured === 0n) return null
  await recordReturn(tx, match, returned)
  return { paymentId: match.payment.id, outcome: 'recorded', next: null }
}

async function recordReport(
  deps: Deps,
  tx: Tx,
  { paymentId, id, amount, currency }: Operation,
  { result, sealedToken }: { readonly result: Found; readonly sealedToken: SealedToken },
): Promise<HandledEvent> {
  const differs = differsFrom(money(amount, currency), result)
  const observation = { source: 'webhook', result, differs, sealedToken } as const
  const { next } = await recordResult(deps, tx, await lockWithOperations(tx, paymentId), id, observation)
  return { paymentId, outcome: 'recorded', next }
}

/**
 * Locks the payment of the operation. Finds only operations of the account that sent the event, so that a
 * provider cannot report results for another account.
 */
export async function lockOperation(
  tx: Tx,
  { event, providerAccountId }: ReceivedEvent,
): Promise<LockedOperation | null> {
  const paymentId = await findPaymentId(tx, event, providerAccountId)
  if (paymentId === null) return null
  const payment = await lockPayment(tx, paymentId)
  const { reference, providerReference } = event
  const all = await operations.listOperations(tx, paymentId)
  const match = all.find((operation) =>
    reference === null
      ? operation.providerReference === providerReference
      : operation.reference === reference,
  )
  return match?.providerAccountId === providerAccountId ? { payment, operation: match } : null
}

export type LockedOperation = { readonly payment: Payment; readonly operation: Operation }

/** Locks a payment that was charged at the account, and returns a successful operation there. */
export async function lockCharge(
  tx: Tx,
  paymentId: Id<'payment'>,
  accountId: Id<'provider_account'>,
): Promise<LockedOperation> {
  const payment = await lockPayment(tx, paymentId)
  const operation = (await operations.listOperations(tx, paymentId)).find(
    ({ providerAccountId, status }) => providerAccountId === accountId && status === 'succeeded',
  )
  assert(
    operation !== undefined,
    'A payment that was charged at an account must have a successful operation there.',
  )
  return { payment, operation }
}

/** Null if there is no such operation. */
async function findPaymentId(
  tx: Tx,
  { reference, providerReference }: ProviderEvent,
  accountId: Id<'provider_account'>,
): Promise<Id<'payment'> | null> {
  if (reference === null)
    return providerReference === null
      ? null
      : operations.findPaymentByReference(tx, accountId, providerReference)
  const paymentId = await findPaymentOfReference(tx, reference)
  return paymentId !== null && (await operations.hasOperation(tx, paymentId, reference)) ? paymentId : null
}

/**
 * The result that the event proves; null if a lookup is needed. A non-final event may be outdated. A failure
 * that does not end the operation is compared with a recorded success.
 */
function provenResult({ event, isAuthenticated }: ReceivedEvent, operation: Operation): Found | null {
  const { found, failure, kind = operation.kind } = event
  if (!isAuthenticated || kind !== operation.kind) return null
  if (failure !== undefined && operation.status === 'succeeded') return failure
  if (found === null) return null
  const proven = asRepeat(found)
  const isConclusive = ['succeeded', 'declined', 'rejected', 'closed'].includes(proven.is)
  return isConclusive ? proven : null
}

/**
 * A failure that arrives before the success of its operation. If the provider has no lookup, only the webhook reports
 * it, and it must be compared with the success.
 */
function isEarlyFailure(
  { event: { failure, kind }, isAuthenticated }: ReceivedEvent,
  operation: Operation,
): boolean {
  const isSameKind = kind === undefined || kind === operation.kind
  return failure !== undefined && isAuthenticated && isSameKind && isOpen(operation)
}

/**
 * Whether a lookup or the response of the provider has the provider token of a card. The token is needed if
 * the card is to be saved, only the provider stores it, and the event does not contain the token. Null: no
 * token is needed, or none is available.
 */
async function tokenSourceOf(
  deps: Deps,
  tx: Tx,
  { payment, operation }: LockedOperation,
  { sealedToken, providerAccountId }: ReceivedEvent,
): Promise<'lookup' | 'response' | null> {
  if (!isOpen(operation) || operation.status === 'needs_review') return null
  if (!usesCard(operation) || !savesCard(payment)) return null
  if (sealedToken !== null || payment.vaultCardUuid !== null) return null
  const account = await findAccount(tx, providerAccountId)
  const canLookUp =
    account !== null &&
    canBeLookedUp({ operation, resolve: providerTerms(deps, tx.caller.mode, account).resolve })
  if (canLookUp) return 'lookup'
  return operation.status === 'sending' ? 'response' : null
}

/** Does nothing while the operation is being sent, because its response is still expected. */
async function scheduleLookup(
  tx: Tx,
  operation: Operation,
  { event: { found }, isAuthenticated }: ReceivedEvent,
): Promise<void> {
  const { status, dueAt } = operation
  if (found?.is === 'action' && status === 'awaiting_customer') return
  // The event confirms what is recorded.
  if (found?.is === 'pending' && status === 'pending') return
  if (!isOpen(operation) || status === 'sending' || status === 'needs_review') return
  if (isAuthenticated) return void operations.updateOperation(tx, operation, { dueAt: tx.now })
  const lookUpAt = afterCooldown(tx, operation)
  // A lookup is never postponed: otherwise events could delay it again and again.
  if (dueAt === null || lookUpAt < dueAt) operations.updateOperation(tx, operation, { dueAt: lookUpAt })
}

const cooldownSeconds = 10

/**
 * Anyone can send events without a signature. Some time must pass after the last call about the operation, so
 * that such events cannot make Switchyard flood the provider. Each call begins a lease.
 */
function afterCooldown({ now }: Tx, { leaseUntil }: Operation): Date {
  const earliest = addSeconds(leaseUntil, cooldownSeconds - leaseSeconds)
  return earliest > now ? earliest : now
}

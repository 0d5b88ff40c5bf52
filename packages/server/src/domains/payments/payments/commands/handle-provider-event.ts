/**
 * Handles events of providers about an operation. An event can end an open operation, but cannot change an
 * operation that has ended.
 */
import type { Deps } from '../../../../deps.ts'
import { type Id, parseId } from '../../../../kernel/id.ts'
import { money } from '../../../../kernel/money.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { Found, ProviderEvent } from '../../../../providers/contract.ts'
import { asRepeat, differsFrom } from '../../../../providers/evidence.ts'
import { recordExternalRefund } from '../operations/external-refund.ts'
import type { Progress } from '../operations/progress.ts'
import { recordResult } from '../operations/record-result.ts'
import { isOpen, type Operation, type Payment, savesCard } from '../payment.ts'
import * as operations from '../store/operations.ts'
import { lockPayment } from '../store/payments.ts'

export type ReceivedEvent = {
  readonly providerAccountId: Id<'provider_account'>
  readonly event: ProviderEvent
  /** Whether the event is authenticated. An unauthenticated event only triggers a lookup. */
  readonly isAuthenticated: boolean
}

export type HandledEvent = {
  readonly paymentId: Id<'payment'>
  readonly outcome: 'recorded' | 'looked_up'
  readonly next: Progress['next']
}

/** Returns null if the operation does not exist, or does not exist yet. */
export async function handleProviderEvent(
  deps: Deps,
  tx: Tx,
  received: ReceivedEvent,
): Promise<HandledEvent | null> {
  const match = await lockOperation(tx, received)
  if (match === null) return null
  const { payment, operation } = match
  const { paymentId } = operation
  if (received.event.refund !== undefined) {
    // A refund cannot be looked up, so the event must be authenticated.
    if (!received.isAuthenticated) return null
    await recordExternalRefund(tx, match, received.event.refund)
    return { paymentId, outcome: 'recorded', next: null }
  }
  const result = provenResult(received, operation, payment)
  if (result === null) {
    const { reference, found } = received.event
    // An event that names only the payment may be about any operation of it.
    const affected = reference === null ? await operations.listOperations(tx, paymentId) : [operation]
    for (const open of affected.filter(({ attemptId }) => attemptId === operation.attemptId))
      await scheduleLookup(tx, open, found)
    return { paymentId, outcome: 'looked_up', next: null }
  }
  const requested = money(operation.amount, operation.currency)
  const observation = { source: 'webhook', result, differs: differsFrom(requested, result) } as const
  const { next } = await recordResult(deps, tx, paymentId, operation.id, observation)
  return { paymentId, outcome: 'recorded', next }
}

/**
 * Locks the payment of the operation. Finds only operations of the account that sent the event, so that a
 * provider cannot report results for another account.
 */
async function lockOperation(
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

type LockedOperation = { readonly payment: Payment; readonly operation: Operation }

/** The reference of an operation starts with the payment id. Returns null if there is no such operation. */
async function findPaymentId(
  tx: Tx,
  { reference, providerReference }: ProviderEvent,
  accountId: Id<'provider_account'>,
): Promise<Id<'payment'> | null> {
  if (reference === null)
    return providerReference === null
      ? null
      : operations.findPaymentByReference(tx, accountId, providerReference)
  const prefix = tx.caller.mode === 'test' ? 'payment_test_' : 'payment_'
  const paymentId = parseId('payment', tx.caller.mode, `${prefix}${reference.slice(0, 26)}`)
  return paymentId !== null && (await operations.hasOperation(tx, paymentId, reference)) ? paymentId : null
}

/** The result that the event proves; null if a lookup is needed. A non-final event may be outdated. */
function provenResult(
  { event, isAuthenticated }: ReceivedEvent,
  operation: Operation,
  payment: Payment,
): Found | null {
  const { found, kind = operation.kind } = event
  if (!isAuthenticated || found === null || kind !== operation.kind) return null
  const proven = asRepeat(found)
  // A provider token must be encrypted before it is stored. That happens outside this transaction, after a
  // lookup.
  if (proven.is === 'succeeded')
    return savesCard(payment) ? withoutNewToken(proven, payment) : withoutToken(proven)
  return proven.is === 'declined' || proven.is === 'rejected' || proven.is === 'closed' ? proven : null
}

type Success = Extract<Found, { is: 'succeeded' }>

/** Null if the card is to be saved with a token that the event contains, or that only a lookup returns. */
function withoutNewToken(success: Success, { vaultCardUuid }: Payment): Success | null {
  return success.extra?.token === undefined && vaultCardUuid !== null ? success : null
}

/** The card is not saved, so its token is not needed. */
function withoutToken({ extra, ...success }: Success): Success {
  const { token: _, ...rest } = extra ?? {}
  return Object.keys(rest).length === 0 ? success : { ...success, extra: rest }
}

/** Does nothing while the operation is being sent, because its response is still expected. */
async function scheduleLookup(tx: Tx, operation: Operation, found: Found | null): Promise<void> {
  const { status } = operation
  if (found?.is === 'action' && status === 'awaiting_customer') return
  if (!isOpen(operation) || status === 'sending' || status === 'needs_review') return
  await operations.updateOperation(tx, operation, { dueAt: tx.now })
}

/**
 * Computes the ledger fact of an approved operation, and rejects operations that exceed the available amount. It
 * writes nothing itself.
 */
import { randomUUID } from 'node:crypto'
import { type MoneyFact, sumsOf } from './ledger.ts'
import type { ErrorDetails, OperationRecord } from './protocol.ts'
import { recordOf } from './records.ts'
import type { Account, Operation, StoredRequest } from './simulator-state.ts'

const captureDeadlineMs = 7 * 24 * 3_600_000

// biome-ignore format: a table.
const factOfKind = {
  verify: 'verification', authorize: 'charge', capture: 'capture', void: 'void', refund: 'refund',
} as const

export type Approval = { readonly record: OperationRecord; readonly fact: MoneyFact }

/** `amountDifference` simulates an approval of a wrong amount: the difference is added to the requested amount. */
export function approve(account: Account, operation: Operation, now: number, amountDifference = 0): Approval {
  const request = requestOf(operation)
  const { reference, kind, parent_reference, currency } = request
  const amount = Math.abs(request.amount + amountDifference)
  const record = recordOf(operation, 'succeeded', { amount, ...approvalDetails(request, now) })
  const fact: MoneyFact = {
    fact: factOfKind[kind],
    reference,
    parent_reference,
    payment_id: paymentOf(account, operation),
    // A void releases the whole remaining authorization, regardless of the requested amount.
    amount: kind === 'void' ? remainingAmount(account, operation) : amount,
    currency,
    capture: kind === 'authorize' && request.capture,
    provider_reference: record.provider_reference as string,
    at: new Date(now).toISOString(),
  }
  return { record, fact }
}

/** Why the ledger does not allow the operation, or null. */
export function problemOf(account: Account, operation: Operation): ErrorDetails | null {
  const { kind, parent_reference, amount, currency } = requestOf(operation)
  if (parent_reference === null) return null
  const root = rootOf(account, operation)
  if (root.record?.status !== 'succeeded' || root.request?.kind !== 'authorize') {
    return { code: 'provider_request_invalid', message: 'parent_reference is not an approved authorization.' }
  }
  if (root.request.currency !== currency) {
    return { code: 'currency_not_supported', message: `The authorization is in ${root.request.currency}.` }
  }
  const remaining = remainingAmount(account, operation)
  if (remaining <= 0) return { code: 'provider_request_invalid', message: 'No amount remains.' }
  if (kind !== 'void' && amount > remaining) {
    return { code: 'amount_not_supported', message: `Only ${remaining} remains.` }
  }
  return null
}

/** For a refund, the amount that can still be refunded; otherwise what can still be captured or voided. */
function remainingAmount(account: Account, operation: Operation): number {
  const root = rootOf(account, operation).reference
  const belongsToRoot = (fact: MoneyFact) => {
    const related = account.operations.get(fact.reference)
    return related !== undefined && rootOf(account, related).reference === root
  }
  const { kind } = requestOf(operation)
  const sums = sumsOf(account.ledger.factsOfPayment(paymentOf(account, operation)).filter(belongsToRoot))
  if (kind === 'refund') return sums.captured - sums.refunded - reversedOf(account, root)
  return sums.authorized - sums.captured - sums.voided
}

/** A return is not an operation, so it is found by the debit that was returned. */
function reversedOf(account: Account, root: string): number {
  const paymentId = account.operations.get(root)?.request?.payment_id ?? ''
  return sumsOf(account.ledger.factsOfPayment(paymentId).filter((fact) => fact.parent_reference === root))
    .reversed
}

/**
 * The payment id of the authorization. After a restore, the merchant may send a different payment id for the
 * same authorization.
 */
function paymentOf(account: Account, operation: Operation): string {
  return (rootOf(account, operation).request ?? requestOf(operation)).payment_id
}

/** The authorization: the operation itself, its parent, or the parent of the capture that a refund refers to. */
function rootOf(account: Account, operation: Operation): Operation {
  const parent = parentOf(account, operation) ?? operation
  return parentOf(account, parent) ?? parent
}

function parentOf(account: Account, { request }: Operation): Operation | undefined {
  return account.operations.get(request?.parent_reference ?? '')
}

function approvalDetails(
  { kind, capture, storesCard }: StoredRequest,
  now: number,
): Partial<OperationRecord> {
  if (kind !== 'authorize' && kind !== 'verify') return {}
  const captureBeforeAt = new Date(now + captureDeadlineMs).toISOString()
  return {
    network_transaction_id: randomUUID().replaceAll(/\D/g, '').padEnd(15, '0').slice(0, 15),
    ...(storesCard ? { token: `tok_${randomUUID().replaceAll('-', '')}` } : {}),
    ...(kind === 'authorize' && !capture ? { capture_before_at: captureBeforeAt } : {}),
  }
}

function requestOf({ request, reference }: Operation): StoredRequest {
  if (request === null) throw new Error(`There is no request for ${reference}.`)
  return request
}

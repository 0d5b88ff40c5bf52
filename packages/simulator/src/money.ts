/**
 * What an approved operation does to the money, and what must be refused because it would move more than is
 * there. It changes nothing itself: it says what to write.
 */
import { randomUUID } from 'node:crypto'
import { type MoneyFact, sumsOf } from './ledger.ts'
import type { Fault, OperationRecord } from './protocol.ts'
import { recordOf } from './records.ts'
import type { Account, KeptRequest, Operation } from './world.ts'

const captureBeforeMs = 7 * 24 * 3_600_000

// biome-ignore format: a table.
const factOfKind = {
  verify: 'verification', authorize: 'charge', capture: 'capture', void: 'void', refund: 'refund',
} as const

export type Approval = { readonly record: OperationRecord; readonly fact: MoneyFact }

/** `amountOff` makes it a wrong approval: it moves, and says, something else than was asked for. */
export function approve(account: Account, operation: Operation, now: number, amountOff = 0): Approval {
  const request = requestOf(operation)
  const { reference, kind, parent_reference, payment_id, currency } = request
  const amount = Math.abs(request.amount + amountOff)
  const record = recordOf(operation, 'succeeded', { amount, ...extrasOf(request, now) })
  const fact: MoneyFact = {
    fact: factOfKind[kind],
    reference,
    parent_reference,
    payment_id,
    // A void lets go of all that is left, whatever amount was named.
    amount: kind === 'void' ? leftFor(account, operation) : amount,
    currency,
    capture: kind === 'authorize' && request.capture,
    provider_reference: record.provider_reference as string,
    at: new Date(now).toISOString(),
  }
  return { record, fact }
}

/** Why the books forbid it, or null. */
export function problemOf(account: Account, operation: Operation): Fault | null {
  const { kind, parent_reference, amount, currency } = requestOf(operation)
  if (parent_reference === null) return null
  const root = rootOf(account, operation)
  if (root.record?.status !== 'succeeded' || root.request?.kind !== 'authorize') {
    return { code: 'provider_request_invalid', message: 'parent_reference is no approved authorization.' }
  }
  if (root.request.currency !== currency) {
    return { code: 'currency_not_supported', message: `The authorization is in ${root.request.currency}.` }
  }
  const left = leftFor(account, operation)
  if (left <= 0) return { code: 'provider_request_invalid', message: 'There is nothing left to do it with.' }
  if (kind !== 'void' && amount > left) {
    return { code: 'amount_not_supported', message: `There are only ${left} left.` }
  }
  return null
}

/** What a capture or a void may still take of the hold, or a refund of what was captured. */
function leftFor(account: Account, operation: Operation): number {
  const root = rootOf(account, operation).reference
  const belongs = (fact: MoneyFact) => {
    const of = account.operations.get(fact.reference)
    return of !== undefined && rootOf(account, of).reference === root
  }
  const { kind, payment_id } = requestOf(operation)
  const sums = sumsOf(account.ledger.ofPayment(payment_id).filter(belongs))
  if (kind === 'refund') return sums.captured - sums.refunded
  return sums.authorized - sums.captured - sums.voided
}

/** The authorization: the operation itself, its parent, or that of the capture which a refund names. */
function rootOf(account: Account, operation: Operation): Operation {
  const parent = parentOf(account, operation) ?? operation
  return parentOf(account, parent) ?? parent
}

function parentOf(account: Account, { request }: Operation): Operation | undefined {
  return account.operations.get(request?.parent_reference ?? '')
}

function extrasOf({ kind, capture, stores }: KeptRequest, now: number): Partial<OperationRecord> {
  if (kind !== 'authorize' && kind !== 'verify') return {}
  const captureBeforeAt = new Date(now + captureBeforeMs).toISOString()
  return {
    network_transaction_id: randomUUID().replaceAll(/\D/g, '').padEnd(15, '0').slice(0, 15),
    ...(stores ? { token: `tok_${randomUUID().replaceAll('-', '')}` } : {}),
    ...(kind === 'authorize' && !capture ? { capture_before_at: captureBeforeAt } : {}),
  }
}

function requestOf({ request, reference }: Operation): KeptRequest {
  if (request === null) throw new Error(`No request ${reference} ever came.`)
  return request
}

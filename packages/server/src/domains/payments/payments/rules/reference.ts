/**
 * References of operations. A reference is the idempotency key and merchant reference at the provider: a base of 26
 * characters, a hyphen, and the number of the operation among those with the same base. The base is the payment id
 * without its prefix, or it is derived from the API request for the operation, if that has an idempotency key.
 */
import { createHash } from 'node:crypto'
import type { ReplayScope } from '../../../../kernel/caller.ts'
import { type Id, type Mode, parseId } from '../../../../kernel/id.ts'

/** Ids start with a digit from 0 to 7, so a base that starts with this letter is never part of an id. */
const derivedPrefix = 'R'
const baseLength = 26
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'

/**
 * The base for a request with an idempotency key. It is the same for each repeat of the request, even if the database
 * has lost the first one. It differs if the key is used with another body. `use`: how many references of the same
 * request exist already: after its retention, a key can be used again with the same body.
 */
export function derivedBase({ scope, fingerprint }: ReplayScope, use: number): string {
  const digest = createHash('sha256').update(scope).update(fingerprint).update(String(use)).digest()
  const characters = Array.from(digest.subarray(0, baseLength - 1), (byte) => alphabet[byte & 31])
  return derivedPrefix + characters.join('')
}

export function isDerived(reference: string): boolean {
  return reference.startsWith(derivedPrefix)
}

export function paymentBase(paymentId: Id<'payment'>): string {
  return paymentId.slice(-baseLength)
}

export function baseOf(reference: string): string {
  return reference.slice(0, baseLength)
}

/** The reference of the next operation with this base. `existing`: the references of the payment. */
export function nextReference(base: string, existing: readonly string[]): string {
  const numbers = existing
    .filter((reference) => baseOf(reference) === base)
    .map((reference) => Number(reference.slice(baseLength + 1)))
  return `${base}-${Math.max(0, ...numbers) + 1}`
}

/** The payment of a reference that contains its id; null for other references. */
export function paymentInReference(mode: Mode, reference: string): Id<'payment'> | null {
  const prefix = mode === 'test' ? 'payment_test_' : 'payment_'
  return parseId('payment', mode, prefix + baseOf(reference))
}

/** Operations are numbered within the payment. */
export function nextOperationNumber(existing: readonly { readonly number: number }[]): number {
  return Math.max(0, ...existing.map(({ number }) => number)) + 1
}

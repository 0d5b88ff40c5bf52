/**
 * The data that Mollie has about an object besides its operation: descriptions, metadata, addresses and
 * relations. It is stored by the id of the object, which is derived from the reference of the operation.
 */
import { createHash } from 'node:crypto'
import type { AccountContext } from '../../run-operation.ts'
import { type Account, findObject, saveObject } from '../../simulator-state.ts'

/** `key` is the idempotency key of the request, `at` the time of creation. */
type Stored = {
  readonly id: string
  readonly reference: string
  readonly key: string | null
  readonly at: number
}

/** The members of a payment that the merchant sends and that Mollie returns. */
export type PaymentMembers = {
  readonly description: string
  readonly metadata: unknown
  readonly method: string | null
  readonly redirectUrl: string | null
  readonly webhookUrl: string | null
  readonly sequenceType: 'oneoff' | 'first' | 'recurring'
  readonly captureMode: 'automatic' | 'manual' | null
  readonly customerId: string | null
  readonly mandateId: string | null
}

export type StoredPayment = Stored &
  PaymentMembers & {
    /** Whether a new card was sent with the payment. Otherwise it is a saved card, or the payer enters a card. */
    readonly hasCardToken: boolean
    /** The ids of captures and refunds, oldest first. */
    readonly captures: readonly string[]
    readonly refunds: readonly string[]
  }

/** A capture or refund. */
export type StoredPart = Stored & {
  readonly paymentId: string
  readonly description: string
  readonly metadata: unknown
}

export type StoredCustomer = {
  readonly id: string
  readonly at: number
  readonly name: string | null
  readonly email: string | null
  readonly locale: string | null
  readonly metadata: unknown
  /** The ids of mandates, oldest first. */
  readonly mandates: readonly string[]
}

/** `reference` is the first payment of the mandate. */
export type StoredMandate = Stored & { readonly customerId: string; readonly isRevoked: boolean }

export type Prefix = 'tr' | 'cpt' | 're' | 'mdt' | 'release'

export function idOf(prefix: Prefix, reference: string): string {
  const hash = createHash('sha256').update(reference).digest('base64url').replaceAll(/[-_]/g, 'x')
  return `${prefix}_${hash.slice(0, 22)}`
}

export function find<T extends { readonly id: string }>(account: Account, id: string): T | undefined {
  return findObject(account, id) as T | undefined
}

export function save<T extends { readonly id: string }>({ state, account }: AccountContext, object: T): void {
  saveObject(state, account, object.id, object)
}

/** All payments, newest first. */
export function listStoredPayments({ objects }: Account): StoredPayment[] {
  const payments = [...objects].filter(([id]) => id.startsWith('tr_'))
  return payments.map(([, object]) => object as StoredPayment).reverse()
}

/** Customers with ids such as `cst_sim_1` exist without being created. */
export function findCustomer(account: Account, id: string): StoredCustomer | undefined {
  const known = id.startsWith('cst_') ? find<StoredCustomer>(account, id) : undefined
  if (known !== undefined || !/^cst_sim_\w{1,50}$/.test(id)) return known
  return { id, at: 0, name: null, email: null, locale: null, metadata: null, mandates: [] }
}

export const idempotencyWindowMs = 3_600_000

/**
 * The reference of the operation that a request creates. A repeated request within the idempotency window
 * continues the operation of the first one, even if the process was stopped before it stored a response.
 * Later, or with a different key, it creates a new operation, even if the merchant repeats its own reference.
 */
export function claimReference(
  { state, account }: AccountContext,
  prefix: Prefix,
  { wanted, key }: { readonly wanted: string; readonly key: string | null },
): string {
  for (let count = 1; ; count += 1) {
    const reference = count === 1 ? wanted : `${wanted}~${count}`
    const stored = find<Stored>(account, idOf(prefix, reference))
    if (stored === undefined || !account.config.replay) return reference
    const isRecent = state.clock.now() - stored.at < idempotencyWindowMs
    if (key !== null && stored.key === key && isRecent) return reference
  }
}

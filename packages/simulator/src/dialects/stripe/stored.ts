/**
 * The stored objects of the dialect, by their ids. The status of an intent is not stored: it is derived from
 * the operations that the intent refers to.
 */
import { randomBytes } from 'node:crypto'
import type { OperationRecord } from '../../protocol.ts'
import type { AccountContext } from '../../run-operation.ts'
import { type Account, findObject, saveObject } from '../../simulator-state.ts'

type Texts = { readonly [name: string]: string }

export const redirectMethods = ['ideal', 'bancontact'] as const
export type RedirectMethod = (typeof redirectMethods)[number]

export type Method = {
  readonly id: string
  readonly created: number
  readonly scenario: string
  /** The number of a bank account; absent for a card. */
  readonly iban?: string
  /** Set for a method that the payer approves on the page of the bank. */
  readonly redirect?: RedirectMethod
  readonly brand: string
  readonly last4: string
  readonly expMonth: number
  readonly expYear: number
  readonly name: string | null
  readonly metadata: Texts
  readonly customer: string | null
  /** The intent that was confirmed with it. */
  readonly intent: string | null
  readonly isDetached: boolean
}

export type Customer = {
  readonly id: string
  readonly created: number
  readonly email: string | null
  readonly name: string | null
  readonly description: string | null
  readonly metadata: Texts
}

export type Capture = {
  readonly reference: string
  readonly isFinal: boolean
  readonly metadata: Texts
}

/** A PaymentIntent or a SetupIntent. A SetupIntent has the amount 0. Amounts are in Stripe's format. */
export type Intent = {
  readonly id: string
  readonly created: number
  readonly amount: number
  readonly currency: string
  readonly captureMethod: 'automatic' | 'automatic_async' | 'manual'
  readonly customer: string | null
  readonly description: string | null
  readonly statementSuffix: string | null
  readonly metadata: Texts
  readonly method: string | null
  readonly returnUrl: string | null
  readonly futureUsage: string | null
  readonly isMulticapture: boolean
  readonly threeDSecure: string
  /** Whether one call created and confirmed it. If that call was not executed, the intent does not exist. */
  readonly isConfirmedOnCreation: boolean
  readonly attempts: readonly { readonly reference: string; readonly method: string }[]
  readonly captures: readonly Capture[]
  readonly refunds: readonly string[]
  /** `reference` is the void. It is null if there was no authorization to release. */
  readonly cancellation: {
    readonly reference: string | null
    readonly reason: string | null
    readonly at: number
  } | null
}

export type Refund = {
  readonly id: string
  readonly created: number
  readonly reference: string
  readonly intent: string
  readonly reason: string | null
  readonly metadata: Texts
}

/** Which object an operation belongs to, and the idempotency key of its request. */
type OperationLink = { readonly owner: string; readonly key: string | null; readonly at: number }

export const keyWindowMs = 24 * 3_600_000

export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(18).toString('base64url').replaceAll(/[-_]/g, 'x')}`
}

export const isSetup = ({ id }: { readonly id: string }) => id.startsWith('seti_')

export const nowSeconds = ({ state }: AccountContext) => Math.floor(state.clock.now() / 1000)

export function save<T extends { readonly id: string }>({ state, account }: AccountContext, object: T): T {
  saveObject(state, account, object.id, object)
  return object
}

export const findMethod = (account: Account, id: string) => findObject(account, id) as Method | undefined
export const findCustomer = (account: Account, id: string) => findObject(account, id) as Customer | undefined
export const findIntent = (account: Account, id: string) => findObject(account, id) as Intent | undefined
export const findRefund = (account: Account, id: string) => findObject(account, id) as Refund | undefined

export function ownerOf(account: Account, reference: string): string | null {
  return findLink(account, reference)?.owner ?? null
}

export function linkOperation(
  { state, account }: AccountContext,
  reference: string,
  owner: string,
  key: string | null,
): void {
  saveObject(state, account, linkKey(reference), {
    owner,
    key,
    at: state.clock.now(),
  } satisfies OperationLink)
}

type Claim = { readonly reference: string; readonly owner: string }

/**
 * The operation of a request, and the object that it belongs to. A repeated request continues the same
 * operation, even if the simulator was stopped before its response was stored. If the reference was already
 * used by another request, this creates a new operation, because Stripe does not reject repeated references.
 */
export function claimOperation(
  context: AccountContext,
  wanted: string,
  { key, newOwner }: { readonly key: string | null; readonly newOwner: string },
): Claim {
  const { account } = context
  const repeated = findRepeated(context, wanted, key)
  if (repeated !== null) return repeated
  const isUsed = (name: string) => findLink(account, name) !== undefined || account.operations.has(name)
  let reference = wanted
  for (let count = 2; account.config.replay && isUsed(reference); count += 1) reference = `${wanted}~${count}`
  linkOperation(context, reference, newOwner, key)
  return { reference, owner: newOwner }
}

/** The operation that an earlier request with the same key claimed; null if this request is new. */
function findRepeated({ state, account }: AccountContext, wanted: string, key: string | null): Claim | null {
  if (key === null || !account.config.replay) return null
  let reference = wanted
  for (let count = 2; ; count += 1) {
    const link = findLink(account, reference)
    if (link === undefined) return null
    if (link.key === key && state.clock.now() - link.at < keyWindowMs) return { reference, owner: link.owner }
    reference = `${wanted}~${count}`
  }
}

/** The result of a repeated request that was executed before; null if it must be executed. */
export function repeatedRecord(
  context: AccountContext,
  wanted: string,
  key: string | null,
): OperationRecord | null {
  const repeated = findRepeated(context, wanted, key)
  return context.account.operations.get(repeated?.reference ?? '')?.record ?? null
}

function findLink(account: Account, reference: string): OperationLink | undefined {
  return findObject(account, linkKey(reference)) as OperationLink | undefined
}

const linkKey = (reference: string) => `operation/${reference}`

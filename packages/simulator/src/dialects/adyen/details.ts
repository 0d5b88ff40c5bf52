/**
 * The data that Adyen has about an operation in addition to its record, and the index of its references.
 * Everything is in the journal, so it survives a restart.
 */
import { createHash } from 'node:crypto'
import { type OperationRecord, usesCard } from '../../protocol.ts'
import type { AccountContext } from '../../run-operation.ts'
import {
  type Account,
  findObject,
  type Operation,
  type StoredRequest,
  saveObject,
} from '../../simulator-state.ts'

export type Card = {
  readonly brand: string
  readonly bin: string
  readonly last4: string
  readonly expiryMonth: string
  readonly expiryYear: string
  readonly holderName: string | null
}

export type EventCode =
  | 'AUTHORISATION'
  | 'CAPTURE'
  | 'CANCELLATION'
  | 'TECHNICAL_CANCEL'
  | 'REFUND'
  | 'CANCEL_OR_REFUND'

export type Details = {
  readonly merchantAccount: string
  readonly merchantReference: string
  /** The event that reports the result. */
  readonly event: EventCode
  readonly card: Card | null
  /** The owner of the card that this operation stores; null if it stores none. */
  readonly storesFor: string | null
}

export type StoredCard = {
  readonly id: string
  /** The token of the simulator. It is valid until the card is deleted. */
  readonly token: string
  readonly shopperReference: string
  readonly merchantAccount: string
  readonly card: Card
}

export function saveDetails({ state, account }: AccountContext, reference: string, details: Details): void {
  saveObject(state, account, `details/${reference}`, details)
  if (details.event === 'AUTHORISATION')
    saveObject(state, account, `merchant-reference/${details.merchantReference}`, { reference })
}

export function findDetails(account: Account, reference: string): Details | null {
  return (findObject(account, `details/${reference}`) as Details | undefined) ?? null
}

/** The 16 characters are derived from the provider reference of the simulator, so they never change. */
export function pspReferenceOf({ provider_reference: reference }: OperationRecord): string {
  return codeOf(reference ?? '')
}

/** The id of the card that the operation stored; null if it stored none. */
export function storedIdOf({ token }: OperationRecord, { storesFor }: Details): string | null {
  return token === undefined || storesFor === null ? null : codeOf(token)
}

/** Adds the references of a record to the index. Call it before a record is returned to a caller. */
export function indexRecord({ state, account }: AccountContext, record: OperationRecord): void {
  const { reference, provider_reference, token } = record
  if (provider_reference === null) return
  saveOnce(`psp/${pspReferenceOf(record)}`, { reference })
  const details = findDetails(account, reference)
  const id = details === null ? null : storedIdOf(record, details)
  if (id === null || token === undefined || details?.card == null) return
  const { storesFor, merchantAccount, card } = details
  saveOnce(`stored/${id}`, { id, token, shopperReference: storesFor, merchantAccount, card })

  function saveOnce(key: string, object: object): void {
    if (findObject(account, key) === undefined) saveObject(state, account, key, object)
  }
}

export function findByPspReference(account: Account, pspReference: string): Operation | null {
  return findIndexed(account, `psp/${pspReference}`)
}

/** The newest payment with this merchant reference. */
export function findByMerchantReference(account: Account, reference: string): Operation | null {
  return findIndexed(account, `merchant-reference/${reference}`)
}

function findIndexed(account: Account, key: string): Operation | null {
  const index = findObject(account, key) as { readonly reference: string } | undefined
  return account.operations.get(index?.reference ?? '') ?? null
}

export type Payment = Operation & { readonly request: StoredRequest }

export function isPayment(operation: Operation | null): operation is Payment {
  return operation !== null && operation.request !== null && usesCard(operation.request.kind)
}

/** The payment that a capture, cancellation or refund belongs to; the operation itself if it is a payment. */
export function paymentOf(account: Account, operation: Operation): Operation {
  const parent = account.operations.get(operation.request?.parent_reference ?? '')
  return parent === undefined ? operation : paymentOf(account, parent)
}

export function findStoredCard(account: Account, id: string, shopperReference: unknown): StoredCard | null {
  const stored = findObject(account, `stored/${id}`) as StoredCard | undefined
  if (stored === undefined || stored.shopperReference !== shopperReference) return null
  return account.tokens.has(stored.token) ? stored : null
}

export function storedCardsOf(account: Account, shopperReference: string): StoredCard[] {
  const ids = [...account.objects.keys()].filter((key) => key.startsWith('stored/'))
  return ids.flatMap((key) => findStoredCard(account, key.slice('stored/'.length), shopperReference) ?? [])
}

const letters = 'BCDFGHJKLMNPQRSTVWXZ23456789'

/** A reference in the format of Adyen, which is always the same for the same string. */
export function codeOf(text: string): string {
  const bytes = createHash('sha256').update(text).digest().subarray(0, 16)
  return [...bytes].map((byte) => letters[byte % letters.length]).join('')
}

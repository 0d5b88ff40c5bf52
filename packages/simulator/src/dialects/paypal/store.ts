/**
 * The data that the simulator stores about PayPal objects, in addition to their operations. Ids are derived from the
 * reference of the operation, which is the `PayPal-Request-Id` of the request that created the object.
 */
import { createHash } from 'node:crypto'
import type { AccountContext } from '../../run-operation.ts'
import { type Account, findObject, saveObject } from '../../simulator-state.ts'

/** The members of the purchase unit that the merchant sends and that PayPal returns. */
export type UnitMembers = { readonly reference_id: string } & {
  readonly [name in 'description' | 'custom_id' | 'invoice_id' | 'soft_descriptor']?: string
}

export type StoredOrder = {
  readonly id: string
  readonly reference: string
  readonly at: number
  readonly intent: 'CAPTURE' | 'AUTHORIZE'
  readonly unit: UnitMembers
  /** The card details that PayPal returns. */
  readonly card: { readonly [member: string]: string }
  /** The keys of its authorization, captures, voids and refunds, oldest first. */
  readonly parts: readonly string[]
}

export type PartType = 'authorization' | 'capture' | 'void' | 'refund'

/** `parentId`: the authorization of a capture or void, the capture of a refund; otherwise null. */
export type StoredPart = {
  readonly id: string
  readonly type: PartType
  readonly reference: string
  readonly at: number
  readonly orderId: string
  readonly parentId: string | null
  readonly invoice_id: string | undefined
  readonly custom_id: string | undefined
  readonly note_to_payer?: string | undefined
  readonly final_capture?: boolean
}

/** 17 letters and digits, like PayPal's ids. */
export function idOf(type: PartType | 'order', reference: string): string {
  const hash = createHash('sha256').update(`${type} ${reference}`).digest('hex')
  return BigInt(`0x${hash}`).toString(36).toUpperCase().slice(0, 17)
}

export function findOrder(account: Account, id: string): StoredOrder | undefined {
  return findObject(account, `order/${id}`) as StoredOrder | undefined
}

export function findPart(account: Account, type: PartType, id: string): StoredPart | undefined {
  return findObject(account, `${type}/${id}`) as StoredPart | undefined
}

export function partsOf(account: Account, orderId: string): StoredPart[] {
  const keys = findOrder(account, orderId)?.parts ?? []
  return keys.flatMap((key) => (findObject(account, key) as StoredPart | undefined) ?? [])
}

export function saveOrder({ state, account }: AccountContext, order: StoredOrder): void {
  saveObject(state, account, `order/${order.id}`, order)
}

/** Does nothing if the part is already stored, so a repeated request does not change it. */
export function savePart(context: AccountContext, part: StoredPart): void {
  const { state, account } = context
  const key = `${part.type}/${part.id}`
  const order = findOrder(account, part.orderId)
  if (order === undefined || order.parts.includes(key)) return
  saveObject(state, account, key, part)
  saveOrder(context, { ...order, parts: [...order.parts, key] })
}

/** `key` is the request id with the name of the call. */
type RequestId = { readonly requestId: string; readonly key: string; readonly windowMs: number }

/**
 * The reference of the operation that a request creates. A repeated request continues the operation of the
 * first one, even if the process was stopped before it stored a response. An id that was used for another
 * call, or that PayPal no longer stores, creates a new operation.
 */
export function claimReference({ state, account }: AccountContext, { requestId, key, windowMs }: RequestId) {
  const now = state.clock.now()
  for (let count = 1; ; count += 1) {
    const reference = count === 1 ? requestId : `${requestId}~${count}`
    const claim = findObject(account, `reference/${reference}`) as { key: string; at: number } | undefined
    if (claim === undefined) saveObject(state, account, `reference/${reference}`, { key, at: now })
    if (claim === undefined || (claim.key === key && now - claim.at < windowMs)) return reference
  }
}

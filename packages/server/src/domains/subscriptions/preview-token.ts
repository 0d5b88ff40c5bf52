/**
 * A preview that can be kept: which subscription, in which version, at which instant, asked for what, with which
 * lines. It proves that we made it, so nothing has to be stored, and no other amount can be slipped in.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { InvoiceDraft, LineDraft } from '../../kernel/invoice-lines.ts'
import { canonical } from '../../kernel/json.ts'

export const previewSeconds = 15 * 60

export type Promised = {
  /** Whose it is: the subscription, or the customer of one that is not there yet. */
  readonly of: string
  readonly version: number
  readonly at: Date
  readonly body: string
  readonly lines: string
}

/** The first key signs; what the others have signed is still good. */
export function sealPreview([key]: readonly Uint8Array[], promised: Promised): string {
  const text = Buffer.from(JSON.stringify({ ...promised, at: promised.at.getTime() })).toString('base64url')
  return `${text}.${proofOf(key as Uint8Array, text).toString('base64url')}`
}

/** Null if we did not make it. */
export function openPreview(keys: readonly Uint8Array[], token: string): Promised | null {
  const [text = '', proof = ''] = token.split('.')
  const given = Buffer.from(proof, 'base64url')
  const isOurs = keys.some((key) => {
    const own = proofOf(key, text)
    return own.length === given.length && timingSafeEqual(own, given)
  })
  if (!isOurs) return null
  const { at, ...rest } = JSON.parse(Buffer.from(text, 'base64url').toString())
  return { ...rest, at: new Date(at) }
}

function proofOf(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(`subscription preview ${text}`).digest().subarray(0, 16)
}

export function hashOfBody(action: string, body: object): string {
  const { preview_token: _, action: __, ...asked } = body as Record<string, unknown>
  return digest({ action, asked })
}

/** What would be billed, without the names that are drawn anew each time. */
export function hashOfLines(invoices: readonly InvoiceDraft[], pending: readonly LineDraft[]): string {
  const plain = ({ kind, amount, quantity, priceId, service, explanation }: LineDraft) => ({
    ...{ kind, amount: String(amount), quantity, priceId, text: explanation.text },
    service: [service.startAt.toISOString(), service.endAt.toISOString()],
  })
  return digest({
    invoices: invoices.map(({ reason, lines }) => ({ reason, lines: lines.map(plain) })),
    pending: pending.map(plain),
  })
}

function digest(value: object): string {
  return createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 22)
}

/**
 * The preview token contains the subscription, version, time, request and lines of a preview. It is signed,
 * so it need not be stored and cannot be altered.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { InvoiceDraft, LineDraft } from '../../../kernel/invoice-lines.ts'
import { canonical } from '../../../kernel/json.ts'

export const previewSeconds = 15 * 60

export type PreviewContent = {
  /** The id of the subscription, or of the customer if the subscription does not exist yet. */
  readonly subjectId: string
  readonly version: number
  readonly at: Date
  readonly body: string
  readonly lines: string
}

/** Signs with the first key. Signatures of the other keys stay valid. */
export function signPreview([key]: readonly Uint8Array[], content: PreviewContent): string {
  const { subjectId: of, at, ...rest } = content
  const text = Buffer.from(JSON.stringify({ of, at: at.getTime(), ...rest })).toString('base64url')
  return `${text}.${signatureOf(key as Uint8Array, text).toString('base64url')}`
}

/** Null if no key matches the signature. */
export function verifyPreview(keys: readonly Uint8Array[], token: string): PreviewContent | null {
  const [text = '', signature = ''] = token.split('.')
  const received = Buffer.from(signature, 'base64url')
  const isValid = keys.some((key) => {
    const expected = signatureOf(key, text)
    return expected.length === received.length && timingSafeEqual(expected, received)
  })
  if (!isValid) return null
  const { of: subjectId, at, ...rest } = JSON.parse(Buffer.from(text, 'base64url').toString())
  return { ...rest, subjectId, at: new Date(at) }
}

function signatureOf(key: Uint8Array, text: string): Buffer {
  return createHmac('sha256', key).update(`subscription preview ${text}`).digest().subarray(0, 16)
}

export function hashOfBody(action: string, body: object): string {
  const { preview_token: _, action: __, ...request } = body as Record<string, unknown>
  return digest({ action, asked: request })
}

/** A hash of the lines that would be billed, without generated ids. */
export function hashOfLines(invoices: readonly InvoiceDraft[], pending: readonly LineDraft[]): string {
  const comparable = ({ kind, amount, quantity, priceId, service, explanation, taxRate }: LineDraft) => ({
    kind,
    amount: String(amount),
    quantity,
    priceId,
    text: explanation.text,
    tax: taxRate == null ? null : `${taxRate.percentage} ${taxRate.category} ${taxRate.inclusive}`,
    service: [service.startAt.toISOString(), service.endAt.toISOString()],
  })
  return digest({
    invoices: invoices.map(({ reason, lines }) => ({ reason, lines: lines.map(comparable) })),
    pending: pending.map(comparable),
  })
}

function digest(value: object): string {
  return createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 22)
}

/**
 * Webhooks of Checkout.com. The signature is the HMAC-SHA-256 of the body in hexadecimal. It does not cover a
 * timestamp.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { type Static, Type } from 'typebox'
import type {
  ConnectorConfig,
  Found,
  IncomingCall,
  OperationKind,
  ProviderEvent,
  Verdict,
} from '../contract.ts'
import { readerOf } from '../read.ts'
import { declined, isApproval } from './declines.ts'
import { Amount, DeclineMembers, Id, moneyOf } from './response.ts'

export function verifySignature(
  { headers, body }: IncomingCall,
  { config }: { readonly config: ConnectorConfig },
): Verdict {
  const signature = headers['cko-signature'] ?? ''
  if (!/^[0-9a-f]{64}$/i.test(signature)) return 'invalid'
  const received = Buffer.from(signature, 'hex')
  const keys = config.webhook_secrets.signature_key ?? []
  // Every key is compared, so that the timing reveals nothing.
  const matches = keys.map((key) =>
    timingSafeEqual(createHmac('sha256', key).update(body).digest(), received),
  )
  return matches.includes(true) ? 'valid' : 'invalid'
}

type EventType = { readonly kind: OperationKind; readonly reports: 'success' | 'decline' | 'change' }

/**
 * An approval is looked up: it does not state whether the payment is captured. All other types are ignored.
 */
const eventTypes: Readonly<Record<string, EventType>> = {
  payment_approved: { kind: 'authorize', reports: 'change' },
  payment_declined: { kind: 'authorize', reports: 'decline' },
  card_verified: { kind: 'verify', reports: 'change' },
  card_verification_declined: { kind: 'verify', reports: 'decline' },
  payment_captured: { kind: 'capture', reports: 'success' },
  payment_capture_declined: { kind: 'capture', reports: 'decline' },
  payment_voided: { kind: 'void', reports: 'success' },
  payment_void_declined: { kind: 'void', reports: 'decline' },
  payment_refunded: { kind: 'refund', reports: 'success' },
  payment_refund_declined: { kind: 'refund', reports: 'decline' },
}

export const eventNames: readonly string[] = Object.keys(eventTypes)

const Event = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255 }), type: Type.String() })
const Data = Type.Object({
  id: Id,
  action_id: Type.Optional(Id),
  reference: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  amount: Type.Optional(Amount),
  currency: Type.Optional(Type.String()),
  ...DeclineMembers,
})
type Data = Static<typeof Data>

const readEvent = readerOf(Event)
const readData = readerOf(Type.Object({ data: Data }))

/** The format of our references. Payments and refunds that Switchyard did not create have other references. */
const ourReference = /^[0-9A-HJKMNP-TV-Z]{26}-\d{1,9}$/

/**
 * A capture of a payment with automatic capture has the reference of the payment. The event then has a
 * different kind than the operation, so the core looks the payment up.
 */
export function eventsIn(body: Uint8Array): readonly ProviderEvent[] {
  const text = new TextDecoder().decode(body)
  const { id: dedupeKey, type } = readEvent(text)
  const eventType = Object.hasOwn(eventTypes, type) ? eventTypes[type] : undefined
  if (eventType === undefined) return []
  const { data } = readData(text)
  const { kind } = eventType
  const isPayment = kind === 'authorize' || kind === 'verify'
  const reference = data.reference ?? ''
  if (ourReference.test(reference)) {
    const providerReference = isPayment ? data.id : (data.action_id ?? null)
    return [
      { dedupeKey, reference, providerReference, kind, found: foundIn(data, eventType, providerReference) },
    ]
  }
  if (isPayment) return []
  const payment = { dedupeKey, reference: null, providerReference: data.id, found: null }
  const refund = kind === 'refund' && eventType.reports === 'success' ? refundIn(data) : null
  return [refund === null ? payment : { ...payment, refund }]
}

/** Null: the webhook does not prove the result. */
function foundIn(data: Data, { reports }: EventType, ref: string | null): Found | null {
  if (reports === 'change' || ref === null) return null
  if (reports === 'success') return isApproved(data) ? { is: 'succeeded', ref, money: moneyOf(data) } : null
  // Checkout.com itself may try again with 3-D Secure after this code.
  if (data.response_code === '20154') return null
  const found = declined(ref, data)
  return found.is === 'declined' ? found : null
}

function isApproved({ response_code: code, amount, currency }: Data): boolean {
  return isApproval(code ?? '') && amount !== undefined && currency !== undefined
}

/**
 * A refund that was made at Checkout.com. A refund without a reference may be one that Switchyard requested, so it is
 * not reported.
 */
function refundIn(data: Data): NonNullable<ProviderEvent['refund']> | null {
  const { reference, action_id: providerReference } = data
  if (!reference || providerReference === undefined || !isApproved(data)) return null
  return { reference, providerReference, money: moneyOf(data) }
}

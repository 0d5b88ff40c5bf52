/**
 * Verifies and parses the webhooks of Stripe. Objects without our reference belong to other integrations of the same
 * Stripe account and are ignored, except refunds of our payments. A webhook whose object cannot be read completely only
 * triggers a lookup.
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { ConnectorConfig, Found, IncomingCall, ProviderEvent, Verdict } from '../contract.ts'
import { orNull, readerOf } from '../read.ts'
import { reportOf } from './disputes.ts'
import { intentFound, moneyOf, refundFound, setupFound } from './response.ts'
import { eventTypes } from './setup.ts'
import {
  apiVersion,
  captureKey,
  Dispute,
  Event,
  PaymentIntent,
  Refund,
  referenceKey,
  SetupIntent,
} from './wire.ts'

/** Older or newer signatures are rejected, so that a recorded webhook cannot be replayed forever. */
const toleranceSeconds = 300
/** Limits the cost of a verification. Stripe sends one signature for each active secret. */
const maxSignatures = 8

export function verifySignature(
  { headers, body }: IncomingCall,
  { config, now }: { readonly config: ConnectorConfig; readonly now: Date },
): Verdict {
  const elements = (headers['stripe-signature'] ?? '')
    .split(',')
    .map((element) => element.trim().split('=', 2))
  const valuesOf = (label: string) =>
    elements.flatMap(([name, value = '']) => (name === label ? [value] : []))
  const [t = '', ...otherTimes] = valuesOf('t')
  const signatures = valuesOf('v1').filter((value) => /^[0-9a-f]{64}$/.test(value))
  if (otherTimes.length > 0 || !/^[0-9]{1,12}$/.test(t)) return 'invalid'
  const expected = (config.webhook_secrets.signing_secret ?? []).map((secret) =>
    createHmac('sha256', secret).update(`${t}.`).update(body).digest(),
  )
  // Compares every pair, so that the timing reveals nothing.
  const pairs = expected.flatMap((mac) =>
    signatures.slice(0, maxSignatures).map((hex) => timingSafeEqual(mac, Buffer.from(hex, 'hex'))),
  )
  const ageSeconds = Math.floor(now.getTime() / 1000) - Number(t)
  const isSigned = pairs.includes(true) && Math.abs(ageSeconds) <= toleranceSeconds
  return isSigned && isOfSameMode(body, config) ? 'valid' : 'invalid'
}

/**
 * A signing secret does not reveal its mode. If a live account had the secret of a test endpoint, test events
 * would end live payments.
 */
function isOfSameMode(body: Uint8Array, { credentials }: ConnectorConfig): boolean {
  const isLive = (credentials.secret_key ?? '').includes('_live_')
  try {
    return JSON.parse(new TextDecoder().decode(body)).livemode === isLive
  } catch {
    return false
  }
}

const readEvent = readerOf(Event)
const readIntent = readerOf(PaymentIntent)
const readSetup = readerOf(SetupIntent)
const readRefund = readerOf(Refund)
const readDispute = readerOf(Dispute)

/** Throws if the body is not a Stripe event. */
export function eventsIn(body: Uint8Array): readonly ProviderEvent[] {
  const { id: dedupeKey, type, created, api_version, data } = readEvent(new TextDecoder().decode(body))
  if (!(eventTypes as readonly string[]).includes(type)) return []
  const object = identify(data.object)
  if (type.startsWith('charge.dispute.')) return disputeEvents(dedupeKey, object.text, created)
  // The endpoint may have a different API version from our calls, so its objects may have a different meaning.
  const isOurVersion = api_version === apiVersion
  if (type.startsWith('refund.')) return refundEvents({ dedupeKey, object, isOurVersion })
  return intentEvents({ dedupeKey, object, isOurVersion })
}

type StripeEvent = {
  readonly dedupeKey: string
  readonly object: IdentifiedObject
  readonly isOurVersion: boolean
}

/** The members that connect an object with our operations. They are the same in every API version. */
type IdentifiedObject = {
  readonly id: string | null
  readonly reference: string | null
  readonly capture: string | null
  readonly text: string
}

function identify(object: unknown): IdentifiedObject {
  const { id, metadata } = (object ?? {}) as { id?: unknown; metadata?: unknown }
  const { [referenceKey]: reference, [captureKey]: capture } = (metadata ?? {}) as Record<string, unknown>
  return {
    id: textOrNull(id),
    reference: textOrNull(reference),
    capture: textOrNull(capture),
    text: JSON.stringify(object ?? null),
  }
}

function intentEvents({ dedupeKey, object, isOurVersion }: StripeEvent): readonly ProviderEvent[] {
  const { id: providerReference, reference, capture, text } = object
  if (reference === null) return []
  // A PaymentIntent with a captured amount reports its latest capture, whose amount only a lookup can determine.
  if (capture !== null)
    return [{ dedupeKey, reference: capture, providerReference, kind: 'capture', found: null }]
  const isSetup = providerReference?.startsWith('seti_') ?? false
  const read = () =>
    isSetup ? verificationIn(readSetup(text), reference) : authorizationIn(readIntent(text), reference)
  const found = isOurVersion ? conclusive(read) : null
  return [{ dedupeKey, reference, providerReference, kind: isSetup ? 'verify' : 'authorize', found }]
}

/** The webhook lacks the charge, which contains the capture deadline of an authorization. */
function authorizationIn(intent: PaymentIntent, reference: string): Found | null {
  if (intent.status === 'requires_capture') return null
  const capture = intent.capture_method === 'automatic'
  return intentFound(intent, { ...requested(intent, reference), kind: 'authorize', capture })
}

/** A SetupIntent has no currency, so only a lookup can report the success of a verification. */
function verificationIn(setup: SetupIntent, reference: string): Found | null {
  if (setup.status === 'succeeded') return null
  return setupFound(setup, { ...requested(setup, reference), kind: 'verify', capture: false })
}

/** The mode is the mode of the object, because the signing secret already determines the account. */
function requested({ livemode }: { readonly livemode: boolean }, reference: string) {
  const mode: 'live' | 'test' = livemode ? 'live' : 'test'
  return { reference, parent: null, captures: [], mode, money: { amount: 0n, currency: 'usd' as const } }
}

/**
 * A refund without our reference was made at Stripe. It is reported under the PaymentIntent that it refunds, once it
 * has succeeded. A refund without a balance transaction only released an authorization.
 */
function refundEvents({ dedupeKey, object, isOurVersion }: StripeEvent): readonly ProviderEvent[] {
  const { id, reference, text } = object
  if (reference !== null) {
    const found = isOurVersion
      ? conclusive(() => refundFound(readRefund(text), { reference, parent: null }))
      : null
    return [{ dedupeKey, reference, providerReference: id, kind: 'refund', found }]
  }
  const refund = orNull(() => readRefund(text))
  if (refund?.status !== 'succeeded' || !refund.balance_transaction || refund.payment_intent === null)
    return []
  const { amount, currency, payment_intent: providerReference } = refund
  const money = orNull(() => moneyOf(amount, currency))
  if (money === null) return []
  const external = { reference: refund.id, providerReference: refund.id, money }
  return [{ dedupeKey, reference: null, providerReference, found: null, refund: external }]
}

/**
 * A dispute is reported under the PaymentIntent. An unreadable one is rejected, because it cannot be looked up. A charge
 * without a PaymentIntent belongs to another integration.
 */
function disputeEvents(dedupeKey: string, text: string, createdSeconds = 0): readonly ProviderEvent[] {
  const object = readDispute(text)
  const { payment_intent: providerReference } = object
  if (providerReference === null) return []
  const dispute = reportOf(object, createdSeconds)
  return [{ dedupeKey, reference: null, providerReference, found: null, dispute }]
}

/** Null if the object determines no result. */
function conclusive(read: () => Found | null): Found | null {
  const found = orNull(read)
  return found?.is === 'unknown' || found?.is === 'absent' ? null : found
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= 255 ? value : null
}

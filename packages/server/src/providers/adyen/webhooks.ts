/**
 * Verifies and parses Adyen's standard webhooks. The signature of an item covers eight of its members (see
 * docs.adyen.com/development-resources/webhooks/verify-hmac-signatures and the official library). Only these members
 * decide a result. Others, such as `reason`, only explain it.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type Static, Type } from 'typebox'
import type { Money } from '../../kernel/money.ts'
import { nullable } from '../../kernel/shapes.ts'
import type {
  ConnectorConfig,
  Found,
  IncomingCall,
  OperationKind,
  ProviderEvent,
  Verdict,
  Webhooks,
} from '../contract.ts'
import { isDuplicateNotice } from '../declines.ts'
import { readerOf, testOf, Unreadable } from '../read.ts'
import { declineOfReason, rawCodesIn } from './declines.ts'
import { dateOrNull, disputeEventCodes, explanationOf, stateOf } from './disputes.ts'
import { moneyOf } from './response.ts'

const SafeInteger = Type.Integer({ minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER })

const Item = Type.Object({
  pspReference: Type.String(),
  originalReference: Type.Optional(nullable(Type.String())),
  merchantAccountCode: Type.String(),
  merchantReference: Type.String(),
  amount: Type.Object({ value: SafeInteger, currency: Type.String() }),
  eventCode: Type.String(),
  eventDate: Type.Optional(Type.String()),
  success: Type.Union([Type.Literal('true'), Type.Literal('false'), Type.Boolean()]),
  reason: Type.Optional(nullable(Type.String())),
  additionalData: Type.Object({
    hmacSignature: Type.String(),
    refusalReasonRaw: Type.Optional(Type.Unknown()),
    merchantAdviceCode: Type.Optional(Type.Unknown()),
    disputeStatus: Type.Optional(Type.Unknown()),
    chargebackReasonCode: Type.Optional(Type.Unknown()),
    defensePeriodEndsAt: Type.Optional(Type.Unknown()),
  }),
})
type Item = Static<typeof Item>

const Notification = Type.Object({
  notificationItems: Type.Array(Type.Object({ NotificationRequestItem: Item }), { minItems: 1 }),
})

const isNotification = testOf(Notification)
const readNotification = readerOf(Notification)

export const webhooks: Webhooks<ConnectorConfig> = {
  signature: 'body',
  verify: (call, { config }) => verify(call, config),
  parse: (body) => itemsIn(textOf(body)).flatMap(eventsIn),
}

/** One item without a valid signature makes the whole call invalid. */
function verify({ headers, body }: IncomingCall, config: ConnectorConfig): Verdict {
  const text = textOf(body)
  if (!isSender(headers.authorization, config) || !isNotification(text)) return 'invalid'
  // A key that is not hexadecimal would be decoded as an empty key, with which anyone can sign.
  const keys = (config.webhook_secrets.hmac_key ?? []).filter((key) => /^[0-9a-f]{64}$/i.test(key))
  return itemsIn(text).every((item) => isSigned(item, keys)) ? 'valid' : 'invalid'
}

/** Basic authentication, if the merchant configured it. */
function isSender(header: string | undefined, { settings, webhook_secrets }: ConnectorConfig): boolean {
  const passwords = webhook_secrets.webhook_password ?? []
  const expected = passwords.map((password) => {
    const credentials = Buffer.from(`${settings.webhook_username ?? ''}:${password}`)
    return digestOf(`Basic ${credentials.toString('base64')}`)
  })
  const received = digestOf(header ?? '')
  const matches = expected.map((digest) => timingSafeEqual(digest, received))
  return passwords.length === 0 || matches.includes(true)
}

/** Compares with every key, so that the timing reveals nothing. */
function isSigned(item: Item, keys: readonly string[]): boolean {
  const signature = Buffer.from(item.additionalData.hmacSignature, 'base64')
  const signed = signedText(item)
  const matches = keys
    .map((key) => createHmac('sha256', Buffer.from(key, 'hex')).update(signed).digest())
    .map((digest) => digest.length === signature.length && timingSafeEqual(digest, signature))
  return matches.includes(true)
}

function signedText({ amount, ...item }: Item): string {
  return [
    item.pspReference,
    item.originalReference ?? '',
    item.merchantAccountCode,
    item.merchantReference,
    amount.value,
    amount.currency,
    item.eventCode,
    item.success,
  ].join(':')
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}

function textOf(body: Uint8Array): string {
  return Buffer.from(body).toString('utf8')
}

function itemsIn(text: string): readonly Item[] {
  return readNotification(text).notificationItems.map(({ NotificationRequestItem: item }) => item)
}

/**
 * The events about our captures, cancellations and refunds. An event that is not final reports that a capture
 * or refund failed, usually after a success was reported. It does not end the operation, because Adyen may
 * repeat it automatically after a technical failure (see
 * docs.adyen.com/online-payments/capture/failure-reasons).
 */
// biome-ignore format: a table.
const modifications: ReadonlyMap<string, { readonly kind: OperationKind; readonly isFinal: boolean }> = new Map([
  ['CAPTURE',          { kind: 'capture', isFinal: true  }],
  ['CAPTURE_FAILED',   { kind: 'capture', isFinal: false }],
  ['CANCELLATION',     { kind: 'void',    isFinal: true  }],
  ['TECHNICAL_CANCEL', { kind: 'void',    isFinal: true  }],
  ['REFUND',           { kind: 'refund',  isFinal: true  }],
  ['REFUND_FAILED',    { kind: 'refund',  isFinal: false }],
  ['REFUNDED_REVERSED', { kind: 'refund', isFinal: false }],
])

/** The event types to select in the Customer Area. */
export const webhookEvents: readonly string[] = [
  'AUTHORISATION',
  ...modifications.keys(),
  ...disputeEventCodes,
]

/**
 * Other event types are ignored. So is an item with a colon in a signed member: the signature would also be valid for
 * other members. Our references and those of Adyen contain none.
 */
function eventsIn(item: Item): readonly ProviderEvent[] {
  if (signedText(item).split(':').length !== 8) return []
  if (item.eventCode === 'AUTHORISATION') return [authorisation(item)]
  if (disputeEventCodes.includes(item.eventCode)) return disputesIn(item)
  const modification = modifications.get(item.eventCode)
  if (modification === undefined) return []
  const [, reference = null, kind] = /^(.+)-(capture|void|refund)$/.exec(item.merchantReference) ?? []
  if (reference !== null && kind !== modification.kind) return []
  if (reference === null && item.eventCode === 'REFUND') return refundsAtAdyen(item)
  return [
    {
      dedupeKey: keyOf(item),
      // A standalone cancellation may be reported with the reference of the payment, and without a suffix.
      reference,
      providerReference: item.pspReference,
      kind: modification.kind,
      ...(modification.isFinal ? { found: resultIn(item) } : { found: null, ...failureIn(item) }),
    },
  ]
}

/**
 * In these events, `success` means that the capture or refund failed, or that the refunded amount was
 * returned.
 */
function failureIn(item: Item): Pick<ProviderEvent, 'failure'> {
  if (!isSuccess(item)) return {}
  const { pspReference: ref, reason, additionalData } = item
  const decline = declineOfReason(reason, rawCodesIn(additionalData))
  return { failure: { is: 'declined', ref, decline } }
}

/** A card verification has the amount 0. */
function authorisation(item: Item): ProviderEvent {
  return {
    dedupeKey: keyOf(item),
    reference: item.merchantReference,
    providerReference: item.pspReference,
    kind: item.amount.value === 0 ? 'verify' : 'authorize',
    found: resultIn(item),
  }
}

/** A refund that was made in the Customer Area. Its payment is named by the original PSP reference. */
function refundsAtAdyen(item: Item): readonly ProviderEvent[] {
  const { originalReference, pspReference: reference } = item
  const found = resultIn(item)
  // A refund that failed changes nothing.
  if (!originalReference || found?.is !== 'succeeded') return []
  const refund = { reference, providerReference: reference, money: found.money }
  return [
    { dedupeKey: keyOf(item), reference: null, providerReference: originalReference, found: null, refund },
  ]
}

/**
 * The PSP reference identifies the dispute and is the same in all its events. The original PSP reference
 * identifies the payment, but some events lack it. A dispute that cannot be read is rejected, because it
 * cannot be looked up.
 */
function disputesIn(item: Item): readonly ProviderEvent[] {
  const { additionalData, eventCode, eventDate = '', originalReference, merchantReference } = item
  const state = stateOf(eventCode, additionalData.disputeStatus)
  if (state === null || !isSuccess(item)) return []
  const [money, reportedAt] = [moneyOrNull(item), dateOrNull(eventDate)]
  if (money === null || money.amount === 0n || reportedAt === null)
    throw new Unreadable('The member /notificationItems has a dispute without a valid amount and time.')
  const identity = { providerReference: item.pspReference, money, fee: null, reportedAt }
  return [
    {
      dedupeKey: keyOf(item),
      reference: originalReference ? null : merchantReference,
      providerReference: originalReference || null,
      found: null,
      dispute: { ...identity, ...state, ...explanationOf(additionalData) },
    },
  ]
}

/** Null if the amount cannot be read, or if the issuer saw a duplicate, possibly of our own request. */
function resultIn(item: Item): Found | null {
  const { pspReference: ref, reason, additionalData } = item
  if (!isSuccess(item)) {
    const codes = rawCodesIn(additionalData)
    if (isDuplicateNotice(codes.networkCode ?? '')) return null
    return { is: 'declined', ref, decline: declineOfReason(reason, codes) }
  }
  const money = moneyOrNull(item)
  return money === null ? null : { is: 'succeeded', ref, money }
}

function moneyOrNull({ amount }: Item): Money | null {
  if (amount.value < 0) return null
  try {
    return moneyOf(amount)
  } catch {
    return null
  }
}

function isSuccess({ success }: Item): boolean {
  return success === true || success === 'true'
}

/** Adyen repeats an event with the same code and PSP reference. A failure may be followed by a success. */
function keyOf({ eventCode, pspReference, success }: Item): string {
  return `${eventCode}:${pspReference}:${success}`
}

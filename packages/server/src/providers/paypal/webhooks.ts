/**
 * Verifies and parses webhooks. PayPal signs the time, the id of the webhook and a checksum of the body with a
 * certificate that the webhook names by URL.
 */
import { verify as verifySignature, X509Certificate } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { Type } from 'typebox'
import type { ConnectorConfig, Found, OperationKind, ProviderEvent, Verdict, Webhooks } from '../contract.ts'
import { readerOf, Unreadable } from '../read.ts'
import { refundMarkOf } from './request.ts'
import { moneyIn, Payment, paymentOutcome } from './response.ts'

const certificateHosts = [
  'api.paypal.com',
  'api-m.paypal.com',
  'api.sandbox.paypal.com',
  'api-m.sandbox.paypal.com',
]
const toleranceMs = 300_000

type Resource = 'authorization' | 'capture' | 'refund'

/** Voids have no event of their own: PayPal also reports expired authorizations as voided. */
const resourceByEvent: ReadonlyMap<string, Resource> = new Map([
  ['PAYMENT.AUTHORIZATION.CREATED', 'authorization'],
  ['PAYMENT.CAPTURE.COMPLETED', 'capture'],
  ['PAYMENT.CAPTURE.DECLINED', 'capture'],
  ['PAYMENT.CAPTURE.DENIED', 'capture'],
  ['PAYMENT.CAPTURE.PENDING', 'capture'],
  ['PAYMENT.CAPTURE.REFUNDED', 'refund'],
])

export const webhookEvents: readonly string[] = [...resourceByEvent.keys()]

export const webhooks: Webhooks<ConnectorConfig> = {
  signature: 'time',
  certificate: {
    hosts: certificateHosts,
    urlIn: ({ headers }) => {
      const url = URL.parse(headers['paypal-cert-url'] ?? '')
      return url?.pathname.startsWith('/v1/notifications/certs/') ? url.href : null
    },
  },
  verify({ headers, body }, { config, now, certificate }): Verdict {
    const { 'paypal-transmission-id': id, 'paypal-transmission-time': time = '' } = headers
    const { 'paypal-transmission-sig': signature, 'paypal-auth-algo': algorithm } = headers
    if (!id || !signature || algorithm !== 'SHA256withRSA' || certificate === null) return 'invalid'
    // A time that cannot be parsed gives NaN, which is not within the tolerance.
    if (!(Math.abs(now.getTime() - Date.parse(time)) <= toleranceMs)) return 'invalid'
    const key = signingKeyIn(certificate, certificateSubjectOf(config), now)
    if (key === null) return 'invalid'
    const isSigned = (config.webhook_secrets.webhook_id ?? []).some((webhookId) => {
      const message = Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`)
      return verifySignature('RSA-SHA256', message, key, Buffer.from(signature, 'base64'))
    })
    return isSigned ? 'valid' : 'invalid'
  },
  parse: eventsIn,
}

/** The host to which the environment's certificates are issued. Only a URL of the sandbox selects the sandbox. */
function certificateSubjectOf({ base_url: url }: ConnectorConfig): string {
  const isSandbox = URL.parse(url)?.hostname.endsWith('.sandbox.paypal.com')
  return isSandbox ? 'messageverificationcerts.sandbox.paypal.com' : 'messageverificationcerts.paypal.com'
}

/**
 * The public key of PayPal's certificate; null if the certificate is not valid. The core fetched it over TLS
 * from PayPal, which normally sends it without the certificates of its issuers. If they are included, they
 * must match.
 */
function signingKeyIn(pem: string, subject: string, now: Date): X509Certificate['publicKey'] | null {
  try {
    const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    const chain = blocks.map((block) => new X509Certificate(block))
    const [leaf] = chain
    if (leaf?.checkHost(subject) === undefined || leaf.publicKey.asymmetricKeyType !== 'rsa') return null
    const isTrusted = chain.every((certificate, index) => {
      const issuer = chain[index + 1]
      const isCurrent = certificate.validFromDate <= now && now <= certificate.validToDate
      if (issuer === undefined) return isCurrent
      return isCurrent && issuer.ca && certificate.checkIssued(issuer) && certificate.verify(issuer.publicKey)
    })
    return isTrusted ? leaf.publicKey : null
  } catch {
    return null
  }
}

const readEvent = readerOf(
  Type.Object({ id: Type.String({ minLength: 1 }), event_type: Type.String(), resource: Type.Unknown() }),
)
const readPayment = readerOf(Payment)

/** Throws if it is not an event. Unknown types are ignored. */
function eventsIn(body: Uint8Array): readonly ProviderEvent[] {
  const { id: dedupeKey, event_type: type, resource } = readEvent(new TextDecoder().decode(body))
  const resourceType = resourceByEvent.get(type)
  if (resourceType === undefined) return []
  const payment = readPayment(JSON.stringify(resource))
  if (resourceType === 'refund') return refundsIn(dedupeKey, payment)
  const kind = kindOf(resourceType, payment)
  return [
    {
      dedupeKey,
      reference: payment.invoice_id ?? null,
      providerReference: payment.id,
      ...(kind === null ? {} : { kind }),
      found: kind === null ? null : finalOutcome(resourceType, payment),
    },
  ]
}

/**
 * A capture belongs to an authorization, or to an order that is captured immediately. Its own link shows which. The
 * invoice id is not sufficient: a capture that is made in the dashboard inherits it from the authorization.
 */
function kindOf(resource: Resource, payment: Payment): OperationKind | null {
  if (resource === 'authorization') return 'authorize'
  const path = parentPathOf(payment)
  if (path.startsWith('/v2/payments/authorizations/')) return 'capture'
  return path.startsWith('/v2/checkout/orders/') ? 'authorize' : null
}

function refundsIn(dedupeKey: string, refund: Payment): readonly ProviderEvent[] {
  const { id, invoice_id: invoiceId = '', custom_id: customId = '' } = refund
  const found = finalOutcome('refund', refund)
  const reference = [customId, invoiceId].map(markedReferenceIn).find((text) => text !== null) ?? null
  if (reference !== null) return [{ dedupeKey, reference, providerReference: id, kind: 'refund', found }]
  if (found?.is !== 'succeeded') return []
  // A refund that Switchyard did not create is reported under the capture that it refunds.
  const [, captureId] = /^\/v2\/payments\/captures\/([\w-]+)$/.exec(parentPathOf(refund)) ?? []
  if (captureId === undefined) throw new Unreadable('The refund does not name its capture.')
  const external = { reference: id, providerReference: id, money: moneyIn(refund) }
  return [{ dedupeKey, reference: null, providerReference: captureId, found: null, refund: external }]
}

function markedReferenceIn(text: string): string | null {
  const mark = refundMarkOf('')
  return text.endsWith(mark) ? text.slice(0, -mark.length) : null
}

function parentPathOf({ links }: Payment): string {
  const href = links?.find(({ rel }) => rel === 'up')?.href ?? ''
  return URL.parse(href)?.pathname ?? ''
}

/**
 * Only final outcomes are accepted from a webhook, because webhooks may arrive out of order. An authorization
 * event proves nothing, because the event cannot be compared with the capture mode of the operation.
 */
function finalOutcome(resource: Resource, payment: Payment): Found | null {
  if (resource === 'authorization') return null
  const outcome = paymentOutcome(resource, payment)
  return outcome.is === 'succeeded' || outcome.is === 'declined' ? outcome : null
}

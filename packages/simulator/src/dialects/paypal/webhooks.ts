/**
 * Webhooks with the headers of PayPal's transmissions. PayPal signs with a certificate that the receiver fetches from
 * PayPal's hosts, which the emulator cannot provide: it signs with a key of its own, so receivers that check the
 * certificate reject these webhooks. Declined authorizations, voids and failed refunds send none.
 */
import { generateKeyPairSync, type KeyObject, randomUUID, sign } from 'node:crypto'
import { crc32 } from 'node:zlib'
import type { OperationRecord } from '../../protocol.ts'
import type { AccountContext } from '../../run-operation.ts'
import type { Account } from '../../simulator-state.ts'
import type { WebhookEvent, WebhookRequest } from '../dialect.ts'
import { partObject } from './objects.ts'
import { findPart, idOf, type PartType } from './store.ts'

/** The host of the links in webhooks. */
const base = 'https://api.sandbox.paypal.com'
/** This host does not exist, so no receiver fetches the certificate from PayPal. */
const certificateUrl = 'https://simulator.invalid/v1/notifications/certs/CERT-SIMULATOR'

let keys: { readonly publicKey: KeyObject; readonly privateKey: KeyObject } | undefined

/** Creating keys takes a long time, so they are created when the first webhook is sent. */
export function signingKeys() {
  keys ??= generateKeyPairSync('rsa', { modulusLength: 2048 })
  return keys
}

export function webhooksOf(
  context: AccountContext,
  { record, forged }: WebhookEvent,
): readonly WebhookRequest[] {
  const { state, account } = context
  const type = typeOf(account, record)
  const eventType = type === null ? undefined : eventTypes[type][record.status]
  const part = type === null ? undefined : findPart(account, type, idOf(type, record.reference))
  const resource = part && partObject(account, part, base)
  if (eventType === undefined || resource === undefined) return []
  const body = JSON.stringify({
    id: `WH-${randomUUID().toUpperCase()}`,
    event_version: '1.0',
    create_time: new Date(state.clock.now()).toISOString(),
    resource_type: type,
    resource_version: '2.0',
    event_type: eventType,
    summary: `${eventType} ${part?.id}`,
    resource: forged ? { ...resource, status: 'COMPLETED' } : resource,
    links: [],
  })
  const webhookId = forged ? 'FORGED' : (account.config.credentials.webhook_id ?? '')
  return [{ contentType: 'application/json', body, headers: () => headersOf(webhookId, body) }]
}

const eventTypes: { readonly [type in PartType]: { readonly [status: string]: string } } = {
  authorization: { succeeded: 'PAYMENT.AUTHORIZATION.CREATED' },
  capture: {
    succeeded: 'PAYMENT.CAPTURE.COMPLETED',
    pending: 'PAYMENT.CAPTURE.PENDING',
    declined: 'PAYMENT.CAPTURE.DECLINED',
  },
  refund: { succeeded: 'PAYMENT.CAPTURE.REFUNDED' },
  void: {},
}

function typeOf(account: Account, { reference, kind }: OperationRecord): PartType | null {
  if (kind === 'capture' || kind === 'refund' || kind === 'void') return kind
  const request = account.operations.get(reference)?.request
  return request == null ? null : request.capture ? 'capture' : 'authorization'
}

/** The signature covers the time, the id of the webhook and a checksum of the body. */
function headersOf(webhookId: string, body: string): { readonly [name: string]: string } {
  const id = randomUUID()
  // Receivers compare the time with their system clock.
  const time = `${new Date().toISOString().slice(0, 19)}Z`
  const message = Buffer.from(`${id}|${time}|${webhookId}|${crc32(body)}`)
  return {
    'paypal-auth-algo': 'SHA256withRSA',
    'paypal-auth-version': 'v2',
    'paypal-cert-url': certificateUrl,
    'paypal-transmission-id': id,
    'paypal-transmission-time': time,
    'paypal-transmission-sig': sign('RSA-SHA256', message, signingKeys().privateKey).toString('base64'),
  }
}

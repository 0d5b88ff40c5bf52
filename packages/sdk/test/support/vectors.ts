// The signatures that every receiver must agree on, and the webhooks they belong to.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  type Event,
  type VerifyWebhook,
  verifyWebhook,
  type WebhookRefusal,
  WebhookVerificationError,
} from '../../src/index.ts'

type Written = {
  readonly name: string
  readonly secrets: readonly string[]
  readonly t: number
  readonly data?: string
  readonly data_parts?: readonly { readonly text: string; readonly times: number }[]
  readonly signature_digest: string
  readonly body?: string
  readonly standard_webhooks?: Readonly<
    Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>
  >
  readonly refused_as?: WebhookRefusal
}

/** `body` is what is sent; where the fixture gives none, an envelope made here around its data. */
export type Vector = Omit<Written, 'data' | 'body'> & {
  readonly data: string
  readonly body: string
  readonly headers: Record<string, string>
}

const path = resolve(import.meta.dirname, '../../../../fixtures/signature-vectors.json')

export const vectors: readonly Vector[] = JSON.parse(readFileSync(path, 'utf8')).vectors.map(vectorOf)

function vectorOf(written: Written): Vector {
  const parts = written.data_parts ?? [{ text: written.data ?? '', times: 1 }]
  const data = parts.map(({ text, times }) => text.repeat(times)).join('')
  const headers = { 'signature-digest': written.signature_digest, ...written.standard_webhooks }
  return { ...written, data, body: written.body ?? JSON.stringify(envelopeOf(data)), headers }
}

function envelopeOf(data: string): Event {
  const { id, type, created_at } = JSON.parse(data || '{}')
  return { id, object: 'event', type, created_at, api_version: '2026-11-14', pending_deliveries: 1, data }
}

export function vector(start: string): Vector {
  const found = vectors.find(({ name }) => name.startsWith(start))
  if (found === undefined) throw new Error(`There is no vector ${start}.`)
  return found
}

/** When the attempt was made, so that it is neither stale nor early. */
export function attemptOf({ t, standard_webhooks }: Vector): Date {
  return new Date(Number(standard_webhooks?.['webhook-timestamp'] ?? t) * 1000)
}

/** The webhook of a vector, received when it was sent, with what is changed about it. */
export const webhookOf = (from: Vector, changed: Partial<VerifyWebhook> = {}): VerifyWebhook => ({
  body: from.body,
  headers: from.headers,
  secret: from.secrets,
  now: attemptOf(from),
  ...changed,
})

export const verify = (from: Vector, changed?: Partial<VerifyWebhook>) =>
  verifyWebhook(webhookOf(from, changed))

/** The reason of the refusal; what was let through, or another error, is none. */
export const refusalOf = (webhook: VerifyWebhook): Promise<WebhookRefusal> =>
  verifyWebhook(webhook).then(
    (event) => Promise.reject(new Error(`Let through: ${event.id}`)),
    (error) => (error instanceof WebhookVerificationError ? error.reason : Promise.reject(error)),
  )

// The published test vectors: webhooks with signatures that every implementation must agree on.

import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  type Event,
  type VerifyWebhook,
  verifyWebhook,
  type WebhookRefusal,
  WebhookVerificationError,
} from '../../src/index.ts'

type FixtureVector = {
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

/** If the fixture has no `body`, it is built here from `data`. */
export type Vector = Omit<FixtureVector, 'data' | 'body'> & {
  readonly data: string
  readonly body: string
  readonly headers: Record<string, string>
}

const path = resolve(import.meta.dirname, '../../../../fixtures/signature-vectors.json')

export const vectors: readonly Vector[] = JSON.parse(readFileSync(path, 'utf8')).vectors.map(vectorOf)

function vectorOf(fixture: FixtureVector): Vector {
  const parts = fixture.data_parts ?? [{ text: fixture.data ?? '', times: 1 }]
  const data = parts.map(({ text, times }) => text.repeat(times)).join('')
  const headers = { 'signature-digest': fixture.signature_digest, ...fixture.standard_webhooks }
  return { ...fixture, data, body: fixture.body ?? JSON.stringify(envelopeOf(data)), headers }
}

function envelopeOf(data: string): Event {
  const { id, type, created_at } = JSON.parse(data || '{}')
  return { id, object: 'event', type, created_at, api_version: '2026-11-14', pending_deliveries: 1, data }
}

export function vector(start: string): Vector {
  const match = vectors.find(({ name }) => name.startsWith(start))
  if (match === undefined) throw new Error(`There is no vector ${start}.`)
  return match
}

/** The time of the attempt, so that it is neither stale nor early. */
export function attemptOf({ t, standard_webhooks }: Vector): Date {
  return new Date(Number(standard_webhooks?.['webhook-timestamp'] ?? t) * 1000)
}

/** The webhook of a vector, received when it was sent, with changes. */
export const webhookOf = (source: Vector, changes: Partial<VerifyWebhook> = {}): VerifyWebhook => ({
  body: source.body,
  headers: source.headers,
  secret: source.secrets,
  now: attemptOf(source),
  // A secret that is not base64 has no Standard Webhooks signature.
  signatureDigestOnly: source.standard_webhooks === undefined,
  ...changes,
})

export const verify = (source: Vector, changes?: Partial<VerifyWebhook>) =>
  verifyWebhook(webhookOf(source, changes))

/** The reason for the rejection. Rejects if the webhook is accepted or another error is thrown. */
export const refusalOf = (webhook: VerifyWebhook): Promise<WebhookRefusal> =>
  verifyWebhook(webhook).then(
    (event) => Promise.reject(new Error(`Accepted: ${event.id}`)),
    (error) => (error instanceof WebhookVerificationError ? error.reason : Promise.reject(error)),
  )

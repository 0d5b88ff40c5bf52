// Tests the signatures with the vectors that also test receivers in other languages.

import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { seconds, signatureDigest, webhookSignature } from './signatures.ts'

type Vector = {
  readonly name: string
  readonly secrets: readonly string[]
  readonly t: number
  readonly data?: string
  readonly data_parts?: readonly { readonly text: string; readonly times: number }[]
  readonly signature_digest: string
  readonly body?: string
  readonly standard_webhooks?: { readonly [header: string]: string }
}
const file = new URL('../../../../../../fixtures/signature-vectors.json', import.meta.url)
const { vectors } = JSON.parse(readFileSync(file, 'utf8')) as { vectors: Vector[] }

const dataOf = ({ data, data_parts = [] }: Vector) =>
  data ?? data_parts.map(({ text, times }) => text.repeat(times)).join('')

test.each(vectors)('$name: our headers match the vector', (vector) => {
  const headers = vector.standard_webhooks ?? {}
  const event = {
    id: headers['webhook-id'] ?? '',
    createdAt: new Date(vector.t * 1000 + 999),
    data: dataOf(vector),
    body: vector.body ?? '',
  }
  expect(signatureDigest(event, vector.secrets)).toBe(vector.signature_digest)
  if (vector.standard_webhooks === undefined) return
  const timestamp = Number(headers['webhook-timestamp'])
  expect(webhookSignature(event, timestamp, vector.secrets)).toBe(headers['webhook-signature'])
})

test('there are vectors with one secret, with several secrets, and with Standard Webhooks headers', () => {
  expect(vectors.some(({ secrets }) => secrets.length === 1)).toBe(true)
  expect(vectors.some(({ secrets }) => secrets.length > 2)).toBe(true)
  expect(vectors.filter((vector) => vector.standard_webhooks !== undefined).length).toBeGreaterThan(1)
})

test('t is the creation time of the event in whole seconds', () => {
  expect(seconds(new Date('2026-11-14T12:00:09.999Z'))).toBe(1794657609)
})

// The webhooks that `verifyWebhook` accepts: the published vectors, in every form in which they can arrive.

import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, expectTypeOf, test } from 'vitest'
import {
  type Customer,
  Switchyard,
  signWebhook,
  type VerifyWebhook,
  verifyWebhook,
  type WebhookEvent,
} from '../src/index.ts'
import { attemptOf, refusalOf, vector, vectors, verify, webhookOf } from './support/vectors.ts'

const [v1, v2, v3] = [vector('V1'), vector('V2'), vector('V3')]
const [secret = ''] = v1.secrets

describe('every vector', () => {
  const validVectors = vectors.filter(({ refused_as }) => refused_as === undefined)

  test.each(validVectors)(
    '$name: verifies with each of its secrets, raw and parsed',
    async (signedVector) => {
      for (const secretOfVector of signedVector.secrets) {
        const event = await verify(signedVector, { secret: secretOfVector })

        expect(event).toEqual({ ...JSON.parse(signedVector.body), content: JSON.parse(signedVector.data) })
        const parsed = {
          body: JSON.parse(signedVector.body),
          secret: secretOfVector,
          signatureDigestOnly: true,
        }
        expect(await verify(signedVector, parsed)).toEqual(event)
        expect(
          await verify(signedVector, { body: Buffer.from(signedVector.body), secret: secretOfVector }),
        ).toEqual(event)
      }
    },
  )

  test.each(validVectors)('$name: equals the result of signing', async (signedVector) => {
    const { body, headers } = await signWebhook(JSON.parse(signedVector.body), signedVector.secrets, {
      now: attemptOf(signedVector),
    })

    expect(body).toBe(signedVector.body)
    expect(headers).toMatchObject({ 'content-type': 'application/json', ...signedVector.headers })
  })

  const invalidVectors = vectors.filter(({ refused_as }) => refused_as !== undefined)

  test.each(invalidVectors)('$name: is rejected although the signature is valid', async (signedVector) => {
    expect(await refusalOf(webhookOf(signedVector))).toBe(signedVector.refused_as)
    expect(await refusalOf(webhookOf(signedVector, { secret: 'whsec_another' }))).toBe('no_match')
  })

  test('the fixture has the expected cases', () => {
    expect(validVectors.length).toBeGreaterThan(10)
    expect(invalidVectors.map(({ data }) => data)).toEqual(['', '{}'])
    expect(Math.max(...vectors.map(({ data }) => Buffer.byteLength(data)))).toBe(256 * 1024)
    expect(Math.max(...vectors.map(({ secrets }) => secrets.length))).toBe(5)
    const bytes = (text: string) => Buffer.byteLength(text)
    expect([bytes(v1.body), bytes(v2.data), bytes(v2.body)]).toEqual([482, 460, 715])
    expect(createHash('sha256').update(v2.body).digest('hex')).toMatch(/^64c41214d4bb.*89e629e9d4$/)
    expect(v3.body).toBe(v2.body)
  })
})

describe('accepts', () => {
  test.each([
    `v2=zz,${v2.signature_digest}`,
    `${v2.signature_digest},v2=zz`,
    v2.signature_digest.replace(',', ',v2=zz,'),
    v2.signature_digest.replaceAll(',', ', '),
    `nonsense,=,,v2,${v2.signature_digest},v10=${'0'.repeat(64)}`,
  ])('elements that a later version may add to the header: %.30s…', async (header) => {
    const headers = { ...v2.headers, 'signature-digest': header }
    expect(await verify(v2, { headers })).toMatchObject({ type: 'payment.succeeded' })
  })

  test('a body that was parsed and serialized again with its members in a different order', async () => {
    const rewritten = JSON.stringify(
      Object.fromEntries(Object.entries(JSON.parse(v2.body)).reverse()),
      null,
      1,
    )
    const escaped = rewritten.replaceAll(
      /[^\n -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )

    const headers = { 'signature-digest': v2.signature_digest }
    expect(escaped).not.toBe(rewritten)
    const event = await verify(v2, { body: escaped, headers, signatureDigestOnly: true })
    expect(event.content).toEqual(JSON.parse(v2.data))
  })

  test('a retry after 26 hours, with the same signature-digest', async () => {
    expect(v3.signature_digest).toBe(v2.signature_digest)
    expect((await verify(v3)).id).toBe((await verify(v2)).id)
  })

  test('an unsigned time in the body is ignored: the event has the signed one', async () => {
    const body = { ...JSON.parse(v1.body), created_at: '2001-01-01T00:00:00.000Z' }

    expect((await verify(v1, { body, signatureDigestOnly: true })).created_at).toBe(
      '2026-11-14T12:00:00.250Z',
    )
  })

  test('an old attempt, if any age is allowed', async () => {
    const now = new Date('2030-01-01')

    expect(await refusalOf(webhookOf(v1, { now }))).toBe('stale')
    expect((await verify(v1, { now, toleranceSeconds: 0 })).type).toBe('customer.created')
  })

  test('signature-digest alone, at any age, if the receiver opts in', async () => {
    const [now, signatureDigestOnly] = [new Date('2036-01-01'), true]
    const headers = { 'signature-digest': v1.signature_digest }
    const parsed = JSON.parse(v1.body)

    expect((await verify(v1, { now, headers, signatureDigestOnly })).type).toBe('customer.created')
    expect((await verify(v1, { now, headers, signatureDigestOnly, body: parsed })).id).toBe(parsed.id)
    // The other headers are ignored: verifying them would not help, because an attacker can omit them.
    const wrongHeaders = { ...v1.headers, 'webhook-signature': 'v1,AAAA' }
    expect((await verify(v1, { now, headers: wrongHeaders, signatureDigestOnly })).id).toBe(parsed.id)
  })

  test.each<[string, VerifyWebhook['headers']]>([
    ['Headers', new Headers(v1.headers)],
    [
      'a record in any case',
      Object.fromEntries(Object.entries(v1.headers).map(([name, value]) => [name.toUpperCase(), value])),
    ],
    [
      'lists of values',
      Object.fromEntries(Object.entries(v1.headers).map(([name, value]) => [name, [value]])),
    ],
    ['pairs', Object.entries(v1.headers)],
    ['a Map', new Map(Object.entries(v1.headers))],
  ])('headers as %s', async (_, headers) => {
    expect((await verify(v1, { headers })).type).toBe('customer.created')
    expect(await refusalOf(webhookOf(v1, { headers, body: `${v1.body} ` }))).toBe('no_match')
  })

  test('a request to a Node.js server', async () => {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const event = await verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret })
      response.end(event.content.object.id)
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { body, headers } = await signWebhook(JSON.parse(v1.body), secret)

    const response = await fetch(url, { method: 'POST', headers, body })

    expect(await response.text()).toBe('customer_test_01M7CYVGQQEAKTQ8FBMK46ARRS')
    await new Promise((resolve) => server.close(resolve))
  })
})

test('the client has the same function, and the type of an event determines its content', async () => {
  const sy = new Switchyard({ token: 'sk_test_x' })
  const event: WebhookEvent = await sy.webhooks.verify(webhookOf(v1))

  expect(event.type).toBe('customer.created')
  if (event.type === 'customer.created') expectTypeOf(event.content.object).toEqualTypeOf<Customer>()
  expect((await sy.webhooks.sign(event, secret)).headers['webhook-id']).toBe(event.id)
  await expect(sy.webhooks.sign({ ...event, created_at: 'now' }, secret)).rejects.toThrow('created_at')
})

// What `verifyWebhook` lets through: the published vectors, in every form in which they may arrive.

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
  const sound = vectors.filter(({ refused_as }) => refused_as === undefined)

  test.each(sound)('$name: verifies with each of its secrets, raw and parsed', async (from) => {
    for (const one of from.secrets) {
      const event = await verify(from, { secret: one })

      expect(event).toEqual({ ...JSON.parse(from.body), content: JSON.parse(from.data) })
      expect(await verify(from, { body: JSON.parse(from.body), secret: one })).toEqual(event)
      expect(await verify(from, { body: Buffer.from(from.body), secret: one })).toEqual(event)
    }
  })

  test.each(sound)('$name: is what signing gives', async (from) => {
    const { body, headers } = await signWebhook(JSON.parse(from.body), from.secrets, { now: attemptOf(from) })

    expect(body).toBe(from.body)
    expect(headers).toMatchObject({ 'content-type': 'application/json', ...from.headers })
  })

  const unsound = vectors.filter(({ refused_as }) => refused_as !== undefined)

  test.each(unsound)('$name: is signed, and still refused', async (from) => {
    expect(await refusalOf(webhookOf(from))).toBe(from.refused_as)
    expect(await refusalOf(webhookOf(from, { secret: 'whsec_another' }))).toBe('no_match')
  })

  test('the fixture holds what it promises', () => {
    expect(sound.length).toBeGreaterThan(10)
    expect(unsound.map(({ data }) => data)).toEqual(['', '{}'])
    expect(Math.max(...vectors.map(({ data }) => Buffer.byteLength(data)))).toBe(256 * 1024)
    expect(Math.max(...vectors.map(({ secrets }) => secrets.length))).toBe(5)
    const bytes = (text: string) => Buffer.byteLength(text)
    expect([bytes(v1.body), bytes(v2.data), bytes(v2.body)]).toEqual([482, 460, 715])
    expect(createHash('sha256').update(v2.body).digest('hex')).toMatch(/^64c41214d4bb.*89e629e9d4$/)
    expect(v3.body).toBe(v2.body)
  })
})

describe('passes', () => {
  test.each([
    `v2=zz,${v2.signature_digest}`,
    `${v2.signature_digest},v2=zz`,
    v2.signature_digest.replace(',', ',v2=zz,'),
    v2.signature_digest.replaceAll(',', ', '),
    `nonsense,=,,v2,${v2.signature_digest},v10=${'0'.repeat(64)}`,
  ])('what a later version may add to the header: %.30s…', async (header) => {
    expect(await verify(v2, { headers: { 'signature-digest': header } })).toMatchObject({
      type: 'payment.succeeded',
    })
  })

  test('a body that was parsed and written again with its members in another order', async () => {
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
    expect((await verify(v2, { body: escaped, headers })).content).toEqual(JSON.parse(v2.data))
  })

  test('a retry after 26 hours, with the same signature-digest', async () => {
    expect(v3.signature_digest).toBe(v2.signature_digest)
    expect((await verify(v3)).id).toBe((await verify(v2)).id)
  })

  test('a time outside that nobody signed, but the event has the one that is signed', async () => {
    const body = { ...JSON.parse(v1.body), created_at: '2001-01-01T00:00:00.000Z' }

    expect((await verify(v1, { body })).created_at).toBe('2026-11-14T12:00:00.250Z')
  })

  test('an old attempt, if any age is allowed', async () => {
    const now = new Date('2030-01-01')

    expect(await refusalOf(webhookOf(v1, { now }))).toBe('stale')
    expect((await verify(v1, { now, toleranceSeconds: 0 })).type).toBe('customer.created')
    expect((await verify(v1, { now, body: JSON.parse(v1.body) })).type).toBe('customer.created')
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

  test('a request to a server of Node', async () => {
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      const event = await verifyWebhook({ body: Buffer.concat(chunks), headers: request.headers, secret })
      response.end(event.content.object.id)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { body, headers } = await signWebhook(JSON.parse(v1.body), secret)

    const answer = await fetch(url, { method: 'POST', headers, body })

    expect(await answer.text()).toBe('customer_test_01M7CYVGQQEAKTQ8FBMK46ARRS')
    await new Promise((done) => server.close(done))
  })
})

test('the client has the same, and the type of an event tells what its content is', async () => {
  const sy = new Switchyard({ token: 'sk_test_x' })
  const event: WebhookEvent = await sy.webhooks.verify(webhookOf(v1))

  expect(event.type).toBe('customer.created')
  if (event.type === 'customer.created') expectTypeOf(event.content.object).toEqualTypeOf<Customer>()
  expect((await sy.webhooks.sign(event, secret)).headers['webhook-id']).toBe(event.id)
  await expect(sy.webhooks.sign({ ...event, created_at: 'now' }, secret)).rejects.toThrow('created_at')
})

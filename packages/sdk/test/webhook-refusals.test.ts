// What `verifyWebhook` refuses, and as what: every check by itself, then whatever chance makes.

import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signWebhook, type VerifyWebhook, type WebhookRefusal } from '../src/index.ts'
import { attemptOf, refusalOf, vector, verify, webhookOf } from './support/vectors.ts'

const [v1, v2] = [vector('V1'), vector('V2')]
const [secret = ''] = v1.secrets
const digest = v1.signature_digest

/** The header of `data` that says what we want it to, for webhooks that are signed and yet wrong. */
const signed = (t: number | string, data: string, key = secret) => ({
  'signature-digest': `t=${t},v1=${createHmac('sha256', key).update(`${t}.${data}`).digest('hex')}`,
})

describe('is refused', () => {
  const only = (header: string) => ({ headers: { 'signature-digest': header } })
  const spaced = JSON.stringify({
    ...JSON.parse(v1.body),
    data: JSON.stringify(JSON.parse(v1.data), null, 1),
  })
  const envelope = JSON.parse(v1.body)
  const withData = (data: string, t: number | string = v1.t) => ({
    body: { ...envelope, data },
    headers: signed(t, data),
  })
  const nameless = JSON.stringify({ ...JSON.parse(v1.data), id: undefined })
  const typeless = JSON.stringify({ ...JSON.parse(v1.data), type: undefined })
  const garbled = Buffer.from(v1.body.replace('"2026-11-14"', '"\xff"'), 'latin1')
  const soon = new Date((v1.t - 301) * 1000)

  // biome-ignore format: a table.
  const table: [WebhookRefusal, string, Partial<VerifyWebhook>][] = [
    ['no_header', 'no signature-digest', { headers: {} }],
    ['no_header', 'no webhook-id', { headers: { ...v1.headers, 'webhook-id': undefined } }],
    ['no_header', 'no webhook-timestamp', { headers: { ...v1.headers, 'webhook-timestamp': undefined } }],
    ['bad_header', 'no v1', only(digest.replace('v1=', 'v2='))],
    ['bad_header', 'no t', only(digest.replace('t=', 'u='))],
    ['bad_header', 'two t', only(`${digest},t=1`)],
    ['bad_header', 'a t that is no number', only(digest.replace('t=', 't=0x'))],
    ['bad_header', 'an empty header', only('')],
    ['bad_header', 'no v1 in webhook-signature', { headers: { ...v1.headers, 'webhook-signature': 'v1a,AAAA' } }],
    ['bad_header', 'a webhook-timestamp that is no number', { headers: { ...v1.headers, 'webhook-timestamp': 'now' } }],
    ['no_match', 'data rewritten with spaces', { body: spaced, ...only(digest) }],
    ['no_match', 't plus 1', only(digest.replace(`${v1.t}`, `${v1.t + 1}`))],
    ['no_match', 'a key without whsec_', { headers: signed(v1.t, v1.data, secret.slice(6)) }],
    ['no_match', 'the bytes behind whsec_ as key', { headers: signed(v1.t, v1.data, Buffer.from(secret.slice(6), 'base64').toString('latin1')) }],
    ['no_match', 'a digest that is cut', only(digest.slice(0, -1))],
    ['no_match', 'a digest with more behind it', only(`${digest}0`)],
    ['no_match', 'a digest with another = behind it', only(`${digest}=0`)],
    ['no_match', 'an empty digest', only(`t=${v1.t},v1=`)],
    ['no_match', 'a digest in capitals', only(digest.replace(/v1=.*/, (text) => text.toUpperCase().replace('V', 'v')))],
    ['no_match', 'another secret', { secret: v2.secrets[0] }],
    ['no_match', 'a body with a space more', { body: `${v1.body} ` }],
    ['no_match', 'another webhook-timestamp', { headers: { ...v1.headers, 'webhook-timestamp': `${v1.t + 1}` } }],
    ['no_match', 'another webhook-id', { headers: { ...v1.headers, 'webhook-id': 'event_test_2' } }],
    ['stale', 'an attempt of 301 seconds ago', { now: new Date((v1.t + 301) * 1000) }],
    ['future', 't more than 5 minutes ahead', { ...only(digest), now: soon, toleranceSeconds: 0 }],
    ['future', 'an attempt more than the tolerance ahead', { now: new Date((v1.t - 11) * 1000), toleranceSeconds: 10 }],
    ['envelope_differs', 'another id outside', { body: { ...envelope, id: 'event_test_2' } }],
    ['envelope_differs', 'another type outside', { body: { ...envelope, type: 'customer.deleted' } }],
    ['envelope_differs', 'no id on either side', { ...withData(nameless), body: { ...envelope, id: undefined, data: nameless } }],
    ['envelope_differs', 'no type on either side', { ...withData(typeless), body: { ...envelope, type: undefined, data: typeless } }],
    ['envelope_differs', 'a t that is not created_at', withData(v1.data, v1.t + 1)],
    ['envelope_differs', 'a created_at that is no time', withData(v1.data.replace('2026-11-14T', 'x'))],
    ['data_not_string', 'data that is parsed', { body: { ...envelope, data: JSON.parse(v1.data) } }],
    ['data_not_string', 'no data', { body: '{}' }],
    ['bad_body', 'a body that is no JSON', { body: v1.body.slice(1) }],
    ['bad_body', 'a body that is no object', { body: '[]' }],
    ['bad_body', 'no body', { body: '' }],
    ['bad_body', 'bytes that are no UTF-8', { body: garbled, ...only(digest) }],
    ['bad_body', 'a byte order mark', { body: Buffer.from(`\ufeff${v1.body}`) }],
    ['bad_body', 'data that is no JSON', withData('text')],
    ['bad_body', 'data that holds no object', withData('null')],
    ['bad_body', 'half of a surrogate pair', withData('{"name":"\ud83d"}')],
  ]

  test.each(table)('as %s: %s', async (reason, _, changed) => {
    expect(await refusalOf(webhookOf(v1, changed))).toBe(reason)
  })

  test('a webhook-id that is signed, but names another event', async () => {
    const headers = {
      ...(await signWebhook({ ...envelope, id: 'event_test_2' }, secret, { now: attemptOf(v1) })).headers,
    }
    const key = Buffer.from(secret.slice(6), 'base64')
    const text = `event_test_2.${v1.t}.${v1.body}`
    headers['webhook-signature'] = `v1,${createHmac('sha256', key).update(text).digest('base64')}`

    expect(await refusalOf(webhookOf(v1, { headers }))).toBe('envelope_differs')
  })

  test('with a sentence that names the check and holds neither the secret nor the body', async () => {
    for (const [, , changed] of table) {
      const error = await verify(v1, changed).catch((thrown) => thrown)

      expect(error.message).toMatch(/^.{20,}[.?]$/)
      const shown = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error)
      expect(shown).not.toContain(secret.slice(6, 20))
      expect(shown).not.toContain('ada@example.com')
    }
  })
})

describe('whatever comes in', () => {
  const hex = fc.stringMatching(/^[0-9a-f]{64}$/)
  const element = fc.oneof(
    fc.string({ unit: 'binary' }),
    hex.map((text) => `v1=${text}`),
    fc.constant(`t=${v1.t}`),
  )
  const header = fc.array(element, { maxLength: 8 }).map((elements) => elements.join(','))
  const names = fc.constantFrom(
    'signature-digest',
    'webhook-id',
    'webhook-timestamp',
    'webhook-signature',
    '__proto__',
  )

  test('random headers never verify, and throw nothing but the refusal', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, fc.oneof(header, fc.array(header))), async (headers) => {
        await refusalOf(webhookOf(v1, { headers }))
      }),
      { numRuns: 500 },
    )
  })

  test('random bodies never verify, and throw nothing but the refusal', async () => {
    const body = fc.oneof(fc.json(), fc.anything(), fc.uint8Array(), fc.record({ data: fc.anything() }))
    await fc.assert(
      fc.asyncProperty(body, async (any) => {
        await refusalOf(webhookOf(v1, { body: any as object }))
      }),
      { numRuns: 500 },
    )
  })

  test('one character of data, or of the digest, makes the difference', async () => {
    const place = fc.nat(v1.data.length - 1)
    await fc.assert(
      fc.asyncProperty(place, fc.nat(63), async (inData, inDigest) => {
        const data = exchange(v1.data, inData)
        const body = { ...JSON.parse(v1.body), data }
        expect(await refusalOf(webhookOf(v1, { body }))).toBe('no_match')
        const headers = { 'signature-digest': exchange(digest, digest.indexOf('v1=') + 3 + inDigest) }
        expect(await refusalOf(webhookOf(v1, { headers }))).toBe('no_match')
      }),
    )
  })

  const exchange = (text: string, place: number) =>
    text.slice(0, place) + (text[place] === '0' ? '1' : '0') + text.slice(place + 1)
})

describe('secrets', () => {
  test.each<[string, VerifyWebhook['secret']]>([
    ['none', undefined],
    ['an empty list', []],
    ['an empty text', ''],
    ['one without whsec_', secret.slice(6)],
    ['nothing but whsec_', 'whsec_'],
    ['one with a line end', `${secret}\n`],
    ['a good one and an empty one', [secret, '']],
  ])('%s is a mistake of the receiver, and is not quoted', async (_, wrong) => {
    for (const attempt of [verify(v1, { secret: wrong }), signWebhook(JSON.parse(v1.body), wrong)]) {
      const error = await attempt.catch((thrown) => thrown)

      expect(error).toBeInstanceOf(TypeError)
      expect(String(error)).not.toContain(secret.slice(6, 20))
    }
  })

  test('a secret that nobody has is no match', async () => {
    expect(await refusalOf(webhookOf(v1, { secret: ['whsec_one', 'whsec_two'] }))).toBe('no_match')
  })
})

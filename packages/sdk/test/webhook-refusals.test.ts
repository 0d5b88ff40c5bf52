// The webhooks that `verifyWebhook` rejects, with the reason: each check separately, then random input.

import { createHmac } from 'node:crypto'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { signWebhook, type VerifyWebhook, type WebhookRefusal } from '../src/index.ts'
import { attemptOf, refusalOf, vector, verify, webhookOf } from './support/vectors.ts'

const [v1, v2] = [vector('V1'), vector('V2')]
const [secret = ''] = v1.secrets
const digest = v1.signature_digest

/** A header for `data` with arbitrary values, for webhooks that are correctly signed but invalid. */
const signed = (t: number | string, data: string, key = secret) => ({
  'signature-digest': `t=${t},v1=${createHmac('sha256', key).update(`${t}.${data}`).digest('hex')}`,
})

describe('is rejected', () => {
  const onlyDigest = (header: string) => ({ headers: { 'signature-digest': header } })
  const spaced = JSON.stringify({
    ...JSON.parse(v1.body),
    data: JSON.stringify(JSON.parse(v1.data), null, 1),
  })
  const envelope = JSON.parse(v1.body)
  const parsed = (body: object) => ({ body, signatureDigestOnly: true })
  const withData = (data: string, t: number | string = v1.t) => ({
    ...parsed({ ...envelope, data }),
    headers: signed(t, data),
  })
  const withoutId = JSON.stringify({ ...JSON.parse(v1.data), id: undefined })
  const withoutType = JSON.stringify({ ...JSON.parse(v1.data), type: undefined })
  const invalidUtf8 = Buffer.from(v1.body.replace('"2026-11-14"', '"\xff"'), 'latin1')
  const tooEarly = new Date((v1.t - 301) * 1000)

  // biome-ignore format: a table.
  const table: [WebhookRefusal, string, Partial<VerifyWebhook>][] = [
    ['no_header', 'no signature-digest', { headers: {} }],
    ['no_header', 'no webhook-signature', { headers: { ...v1.headers, 'webhook-signature': undefined } }],
    ['no_header', 'signature-digest alone, ten years later', { ...onlyDigest(digest), now: new Date('2036-01-01') }],
    ['no_header', 'signature-digest alone, whatever the tolerance', { ...onlyDigest(digest), toleranceSeconds: 0 }],
    ['no_header', 'no webhook-id', { headers: { ...v1.headers, 'webhook-id': undefined } }],
    ['no_header', 'no webhook-timestamp', { headers: { ...v1.headers, 'webhook-timestamp': undefined } }],
    ['bad_header', 'no v1', onlyDigest(digest.replace('v1=', 'v2='))],
    ['bad_header', 'no t', onlyDigest(digest.replace('t=', 'u='))],
    ['bad_header', 'two t', onlyDigest(`${digest},t=1`)],
    ['bad_header', 'a t that is not a number', onlyDigest(digest.replace('t=', 't=0x'))],
    ['bad_header', 'an empty header', onlyDigest('')],
    ['bad_header', 'no v1 in webhook-signature', { headers: { ...v1.headers, 'webhook-signature': 'v1a,AAAA' } }],
    ['bad_header', 'a webhook-timestamp that is not a number', { headers: { ...v1.headers, 'webhook-timestamp': 'now' } }],
    ['no_match', 'data rewritten with spaces', { body: spaced, ...onlyDigest(digest) }],
    ['no_match', 't plus 1', onlyDigest(digest.replace(`${v1.t}`, `${v1.t + 1}`))],
    ['no_match', 'a key without whsec_', { headers: signed(v1.t, v1.data, secret.slice(6)) }],
    ['no_match', 'the decoded bytes after whsec_ as key', { headers: signed(v1.t, v1.data, Buffer.from(secret.slice(6), 'base64').toString('latin1')) }],
    ['no_match', 'a truncated digest', onlyDigest(digest.slice(0, -1))],
    ['no_match', 'a digest with an additional character', onlyDigest(`${digest}0`)],
    ['no_match', 'a digest with an additional =', onlyDigest(`${digest}=0`)],
    ['no_match', 'an empty digest', onlyDigest(`t=${v1.t},v1=`)],
    ['no_match', 'a digest in capitals', onlyDigest(digest.replace(/v1=.*/, (text) => text.toUpperCase().replace('V', 'v')))],
    ['no_match', 'another secret', { secret: v2.secrets[0] }],
    ['no_match', 'a body with an additional space', { body: `${v1.body} ` }],
    ['no_match', 'another webhook-timestamp', { headers: { ...v1.headers, 'webhook-timestamp': `${v1.t + 1}` } }],
    ['no_match', 'another webhook-id', { headers: { ...v1.headers, 'webhook-id': 'event_test_2' } }],
    ['stale', 'an attempt of 301 seconds ago', { now: new Date((v1.t + 301) * 1000) }],
    ['future', 't more than 5 minutes ahead', { ...onlyDigest(digest), now: tooEarly, toleranceSeconds: 0 }],
    ['future', 'an attempt more than the tolerance ahead', { now: new Date((v1.t - 11) * 1000), toleranceSeconds: 10 }],
    ['envelope_differs', 'another id in the envelope', parsed({ ...envelope, id: 'event_test_2' })],
    ['envelope_differs', 'another type in the envelope', parsed({ ...envelope, type: 'customer.deleted' })],
    ['envelope_differs', 'no id in envelope and data', { ...withData(withoutId), ...parsed({ ...envelope, id: undefined, data: withoutId }) }],
    ['envelope_differs', 'no type in envelope and data', { ...withData(withoutType), ...parsed({ ...envelope, type: undefined, data: withoutType }) }],
    ['envelope_differs', 'a t that is not created_at', withData(v1.data, v1.t + 1)],
    ['envelope_differs', 'a created_at that is not a time', withData(v1.data.replace('2026-11-14T', 'x'))],
    ['data_not_string', 'data that is parsed', parsed({ ...envelope, data: JSON.parse(v1.data) })],
    ['data_not_string', 'no data', { body: '{}' }],
    ['bad_body', 'a body that is not JSON', { body: v1.body.slice(1) }],
    ['bad_body', 'a body that is not an object', { body: '[]' }],
    ['bad_body', 'no body', { body: '' }],
    ['bad_body', 'a parsed body, without signatureDigestOnly', { body: envelope }],
    ['bad_body', 'bytes that are not UTF-8', { body: invalidUtf8, ...onlyDigest(digest) }],
    ['bad_body', 'a byte order mark', { body: Buffer.from(`\ufeff${v1.body}`) }],
    ['bad_body', 'data that is not JSON', withData('text')],
    ['bad_body', 'data that is not an object', withData('null')],
    ['bad_body', 'a lone surrogate', withData('{"name":"\ud83d"}')],
  ]

  test.each(table)('as %s: %s', async (reason, _, changed) => {
    expect(await refusalOf(webhookOf(v1, changed))).toBe(reason)
  })

  test('a webhook-id that is signed, but belongs to another event', async () => {
    const headers = {
      ...(await signWebhook({ ...envelope, id: 'event_test_2' }, secret, { now: attemptOf(v1) })).headers,
    }
    const key = Buffer.from(secret.slice(6), 'base64')
    const text = `event_test_2.${v1.t}.${v1.body}`
    headers['webhook-signature'] = `v1,${createHmac('sha256', key).update(text).digest('base64')}`

    expect(await refusalOf(webhookOf(v1, { headers }))).toBe('envelope_differs')
  })

  test('with a message that names the check and contains neither the secret nor the body', async () => {
    for (const [, , changed] of table) {
      const error = await verify(v1, changed).catch((thrown) => thrown)

      expect(error.message).toMatch(/^.{20,}[.?]$/)
      const printed = inspect(error, { depth: 10, showHidden: true }) + JSON.stringify(error)
      expect(printed).not.toContain(secret.slice(6, 20))
      expect(printed).not.toContain('ada@example.com')
    }
  })
})

describe('random input', () => {
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

  test('random headers never verify, and throw nothing but the verification error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, fc.oneof(header, fc.array(header))), async (headers) => {
        await refusalOf(webhookOf(v1, { headers }))
      }),
      { numRuns: 500 },
    )
  })

  test('random bodies never verify, and throw nothing but the verification error', async () => {
    const body = fc.oneof(fc.json(), fc.anything(), fc.uint8Array(), fc.record({ data: fc.anything() }))
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        await refusalOf(webhookOf(v1, { body: value as object }))
        await refusalOf(webhookOf(v1, { body: value as object, signatureDigestOnly: true }))
      }),
      { numRuns: 500 },
    )
  })

  test('one changed character of data, or of the digest, is detected', async () => {
    const index = fc.nat(v1.data.length - 1)
    await fc.assert(
      fc.asyncProperty(index, fc.nat(63), async (inData, inDigest) => {
        const data = changeCharacter(v1.data, inData)
        const body = { ...JSON.parse(v1.body), data }
        expect(await refusalOf(webhookOf(v1, { body, signatureDigestOnly: true }))).toBe('no_match')
        const headers = { 'signature-digest': changeCharacter(digest, digest.indexOf('v1=') + 3 + inDigest) }
        expect(await refusalOf(webhookOf(v1, { headers }))).toBe('no_match')
      }),
    )
  })

  const changeCharacter = (text: string, index: number) =>
    text.slice(0, index) + (text[index] === '0' ? '1' : '0') + text.slice(index + 1)
})

describe('secrets', () => {
  test.each<[string, VerifyWebhook['secret']]>([
    ['none', undefined],
    ['an empty list', []],
    ['an empty string', ''],
    ['a secret without whsec_', secret.slice(6)],
    ['only whsec_', 'whsec_'],
    ['a secret with a line break', `${secret}\n`],
    ['a valid secret and an empty one', [secret, '']],
  ])('the invalid secret "%s" is a TypeError that does not quote it', async (_, invalidSecret) => {
    for (const attempt of [
      verify(v1, { secret: invalidSecret }),
      signWebhook(JSON.parse(v1.body), invalidSecret),
    ]) {
      const error = await attempt.catch((thrown) => thrown)

      expect(error).toBeInstanceOf(TypeError)
      expect(String(error)).not.toContain(secret.slice(6, 20))
    }
  })

  test('secrets that did not sign the webhook do not match', async () => {
    expect(await refusalOf(webhookOf(v1, { secret: ['whsec_one', 'whsec_two'] }))).toBe('no_match')
  })
})

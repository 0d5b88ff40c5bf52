import { createHmac } from 'node:crypto'
import { type Event, signWebhook } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { firstDifference } from './signatures.ts'
import { type Submission, verifySubmission } from './verification.ts'

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`
const earlierSecret = `whsec_${Buffer.from('another one, from before today.').toString('base64')}`
const createdAt = '2026-11-14T22:51:03.071Z'
const data = JSON.stringify({
  id: 'event_test_1',
  type: 'payment.succeeded',
  created_at: createdAt,
  mode: 'test',
  sequence: 3,
  object: { id: 'payment_test_1', note: 'Zürich' },
  request: null,
})
const event: Event = {
  id: 'event_test_1',
  object: 'event',
  type: 'payment.succeeded',
  created_at: createdAt,
  api_version: '2026-11-14',
  pending_deliveries: 1,
  data,
}
const t = Math.floor(Date.parse(createdAt) / 1000)
const hex = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest('hex')
const decodedSecret = Buffer.from(secret.slice('whsec_'.length), 'base64')

/** The request as it was sent, with changes. It is checked years later, because an old `t` is not an error. */
async function submission(changes: Partial<Submission> = {}, secrets = [secret]): Promise<Submission> {
  const { body, headers } = await signWebhook(event, secrets)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return { body, headers: lines.join('\n'), secret, computed: '', now: new Date('2031-01-01'), ...changes }
}
const signedBy = (signature: string) => `signature-digest: t=${t},v1=${signature}`

test('an unchanged request is valid, regardless of its age', async () => {
  expect(await verifySubmission(await submission())).toMatchObject({ code: 'valid' })
})

test('a request without the webhook-* headers is valid by its digest, with a warning about replays', async () => {
  const complete = await verifySubmission(await submission())
  const digestOnly = await verifySubmission(
    await submission({ headers: signedBy(hex(secret, `${t}.${data}`)) }),
  )
  expect(complete.text).not.toContain('replay')
  expect(digestOnly).toMatchObject({ code: 'valid', text: expect.stringContaining('may be a replay') })
})

test('an earlier secret is distinguished from the newest one', async () => {
  const input = await submission({ secret: earlierSecret }, [secret, earlierSecret])
  expect(await verifySubmission(input)).toMatchObject({ code: 'valid_earlier_secret' })
})

test('a different secret is reported as wrong', async () => {
  expect(await verifySubmission(await submission({ secret: earlierSecret }))).toMatchObject({
    code: 'wrong_secret',
  })
})

test('a secret without whsec_ is detected', async () => {
  const input = await submission({ secret: secret.slice('whsec_'.length) })
  expect(await verifySubmission(input)).toMatchObject({ code: 'prefix_missing' })
})

test.each([
  ['prefix_missing', hex(secret.slice('whsec_'.length), `${t}.${data}`)],
  ['secret_decoded', hex(decodedSecret, `${t}.${data}`)],
  ['data_reserialized', hex(secret, `${t}.${JSON.stringify(JSON.parse(data))}`)],
  ['wrong_secret', hex(earlierSecret, `${t}.${data}`)],
])('a mistake in the computed signature is detected: %s', async (code, computed) => {
  // With a space that `JSON.stringify` does not write, so that serializing the data again changes it.
  const spaced = data.replace('"mode":', '"mode": ')
  const isReserialized = code === 'data_reserialized'
  const { body, headers } = await signWebhook({ ...event, data: isReserialized ? spaced : data }, secret)
  const input = await submission({
    body,
    headers: `signature-digest: ${headers['signature-digest']}`,
    computed,
  })
  expect(await verifySubmission(input)).toMatchObject({ code })
})

test('signing the whole body is detected', async () => {
  const { body } = await submission()
  const input = await submission({ computed: hex(secret, `${t}.${body}`) })
  expect(await verifySubmission(input)).toMatchObject({ code: 'whole_body_signed' })
})

test('a correct computed signature is accepted', async () => {
  const input = await submission({ computed: hex(secret, `${t}.${data}`).toUpperCase() })
  expect(await verifySubmission(input)).toMatchObject({ code: 'valid' })
})

test('re-serialized data is detected, with the byte of the first difference', async () => {
  const pretty = JSON.stringify({ ...event, data: JSON.stringify(JSON.parse(data), null, 1) })
  const result = await verifySubmission(
    await submission({ body: pretty, headers: signedBy(hex(secret, `${t}.${data}`)) }),
  )
  expect(result).toMatchObject({ code: 'data_reserialized' })
  expect(result.text).toContain('byte 1')
})

test('a changed t is detected', async () => {
  const input = await submission({
    headers: `signature-digest: t=${t + 9},v1=${hex(secret, `${t}.${data}`)}`,
  })
  expect(await verifySubmission(input)).toMatchObject({ code: 't_changed' })
})

test('unknown signature versions are reported, not treated as a wrong secret', async () => {
  expect(
    await verifySubmission(await submission({ headers: `signature-digest: t=${t},v7=abc` })),
  ).toMatchObject({
    code: 'unknown_versions',
  })
})

test('a changed envelope is rejected, even if data is valid', async () => {
  const body = JSON.stringify({ ...event, type: 'payment.failed' })
  const input = await submission({ body, headers: signedBy(hex(secret, `${t}.${data}`)) })
  expect(await verifySubmission(input)).toMatchObject({ code: 'rejected' })
})

test.each([
  ['no header', { headers: 'content-type: application/json' }],
  ['no t', { headers: 'signature-digest: v1=abc' }],
  ['no JSON', { body: 'hello' }],
  [
    'data that is an object instead of a string',
    { body: JSON.stringify({ ...event, data: JSON.parse(data) }) },
  ],
])('unreadable input is reported: %s', async (_, changes) => {
  expect(await verifySubmission(await submission(changes))).toMatchObject({ code: 'unreadable' })
})

test('the first difference is counted in bytes, not characters', () => {
  expect(firstDifference('Zürich', 'Zürich')).toBeNull()
  expect(firstDifference('Zürich', 'Züri')).toBe(5)
})

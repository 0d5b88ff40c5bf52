import { createHmac } from 'node:crypto'
import { type Event, signWebhook } from '@switchyard/sdk'
import { expect, test } from 'vitest'
import { firstDifference } from './signed.ts'
import { type Submission, verdictOf } from './verdict.ts'

const secret = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`
const earlier = `whsec_${Buffer.from('another one, from before today.').toString('base64')}`
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
const decoded = Buffer.from(secret.slice('whsec_'.length), 'base64')

/** As it was sent, with what is changed about it. Years later: an old `t` is no fault. */
async function submission(changes: Partial<Submission> = {}, secrets = [secret]): Promise<Submission> {
  const { body, headers } = await signWebhook(event, secrets)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return { body, headers: lines.join('\n'), secret, computed: '', now: new Date('2031-01-01'), ...changes }
}
const signedBy = (signature: string) => `signature-digest: t=${t},v1=${signature}`

test('a request as it was sent is valid, however old it is', async () => {
  expect(await verdictOf(await submission())).toMatchObject({ code: 'valid' })
})

test('a secret that rotates out is told from the newest one', async () => {
  const given = await submission({ secret: earlier }, [secret, earlier])
  expect(await verdictOf(given)).toMatchObject({ code: 'valid_earlier_secret' })
})

test('another secret is wrong', async () => {
  expect(await verdictOf(await submission({ secret: earlier }))).toMatchObject({ code: 'wrong_secret' })
})

test('a secret that was pasted without whsec_ is told', async () => {
  const given = await submission({ secret: secret.slice('whsec_'.length) })
  expect(await verdictOf(given)).toMatchObject({ code: 'prefix_cut_off' })
})

test.each([
  ['prefix_cut_off', hex(secret.slice('whsec_'.length), `${t}.${data}`)],
  ['secret_decoded', hex(decoded, `${t}.${data}`)],
  ['data_written_again', hex(secret, `${t}.${JSON.stringify(JSON.parse(data))}`)],
  ['wrong_secret', hex(earlier, `${t}.${data}`)],
])('what a receiver computed by mistake is told: %s', async (code, computed) => {
  // Written with a space, as nobody's serializer does, so that writing it again changes it.
  const spaced = data.replace('"mode":', '"mode": ')
  const isAgain = code === 'data_written_again'
  const { body, headers } = await signWebhook({ ...event, data: isAgain ? spaced : data }, secret)
  const given = await submission({
    body,
    headers: `signature-digest: ${headers['signature-digest']}`,
    computed,
  })
  expect(await verdictOf(given)).toMatchObject({ code })
})

test('a receiver that signs the whole body is told so', async () => {
  const { body } = await submission()
  const given = await submission({ computed: hex(secret, `${t}.${body}`) })
  expect(await verdictOf(given)).toMatchObject({ code: 'whole_body_signed' })
})

test('what a receiver computed right is no fault', async () => {
  const given = await submission({ computed: hex(secret, `${t}.${data}`).toUpperCase() })
  expect(await verdictOf(given)).toMatchObject({ code: 'valid' })
})

test('data that was parsed and written again is told with the byte at which it parts', async () => {
  const pretty = JSON.stringify({ ...event, data: JSON.stringify(JSON.parse(data), null, 1) })
  const verdict = await verdictOf(
    await submission({ body: pretty, headers: signedBy(hex(secret, `${t}.${data}`)) }),
  )
  expect(verdict).toMatchObject({ code: 'data_written_again' })
  expect(verdict.text).toContain('byte 1')
})

test('a t that was altered is told', async () => {
  const given = await submission({
    headers: `signature-digest: t=${t + 9},v1=${hex(secret, `${t}.${data}`)}`,
  })
  expect(await verdictOf(given)).toMatchObject({ code: 't_altered' })
})

test('versions that nobody knows are told, and not taken for a wrong secret', async () => {
  expect(await verdictOf(await submission({ headers: `signature-digest: t=${t},v7=abc` }))).toMatchObject({
    code: 'unknown_versions',
  })
})

test('an envelope that was changed is refused, though data fits', async () => {
  const body = JSON.stringify({ ...event, type: 'payment.failed' })
  const given = await submission({ body, headers: signedBy(hex(secret, `${t}.${data}`)) })
  expect(await verdictOf(given)).toMatchObject({ code: 'refused' })
})

test.each([
  ['no header', { headers: 'content-type: application/json' }],
  ['no t', { headers: 'signature-digest: v1=abc' }],
  ['no JSON', { body: 'hello' }],
  ['data that something has parsed', { body: JSON.stringify({ ...event, data: JSON.parse(data) }) }],
])('what cannot be read is told: %s', async (_, changes) => {
  expect(await verdictOf(await submission(changes))).toMatchObject({ code: 'unreadable' })
})

test('the first difference is counted in bytes, not characters', () => {
  expect(firstDifference('Zürich', 'Zürich')).toBeNull()
  expect(firstDifference('Zürich', 'Züri')).toBe(5)
})

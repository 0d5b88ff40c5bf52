import { expect, test } from 'vitest'
import { addSeconds } from '../../kernel/clock.ts'
import { idFromUuid } from '../../kernel/id.ts'
import { createMetrics } from '../metrics.ts'
import { openConnection, parseNatsUrls } from './connection.ts'
import { deliveriesOf } from './message.ts'
import { createPublisher, messageOf } from './publish.ts'
import { timerSubject, workSubject } from './subjects.ts'

const now = new Date('2026-08-01T10:00:00Z')
const ref = {
  workspaceId: idFromUuid('workspace', 'live', '019a0000-0000-7abc-8000-000000000001'),
  id: idFromUuid('customer', 'live', '019a0000-0000-7abc-8000-000000000002'),
}
const hintIn = (seconds: number) => ({ work: 'customer.expire', ref, at: addSeconds(now, seconds) }) as const
const silent = { debug() {}, info() {}, warn() {}, error() {} }

test.each([0, -1, -86_400])('work due in %d seconds is published on its work subject', (seconds) => {
  expect(messageOf(hintIn(seconds), now)).toEqual({
    subject: workSubject('customer.expire', ref),
    options: {},
  })
})

test.each([0.001, 1, 3600])('work due in %d seconds is published as a timer', (seconds) => {
  const schedule = {
    specification: { at: addSeconds(now, seconds) },
    target: workSubject('customer.expire', ref),
  }
  const subject = timerSubject('customer.expire', ref)
  expect(messageOf(hintIn(seconds), now)).toEqual({ subject, options: { schedule } })
})

test.each([3600.001, 86_400])(
  'work due in %d seconds is not published, because the reconciler will find it',
  (seconds) => {
    expect(messageOf(hintIn(seconds), now)).toBeNull()
  },
)

test('while NATS is unavailable, publishing returns immediately, does not throw, and counts lost hints', async () => {
  const metrics = createMetrics()
  const connection = openConnection({ url: 'nats://127.0.0.1:1', log: silent, metrics })
  createPublisher({ connection, metrics }).publish([hintIn(0), hintIn(60), hintIn(86_400)], now)
  await connection.close()
  expect((await metrics.hintsLost.get()).values[0]?.value).toBe(2)
})

test('without an engine no hint counts as lost', async () => {
  const metrics = createMetrics()
  const connection = openConnection({ url: null, log: silent, metrics })
  createPublisher({ connection, metrics }).publish([hintIn(0)], now)
  expect((await metrics.hintsLost.get()).values[0]?.value).toBe(0)
})

// biome-ignore format: a table.
test.each([
  { url: 'nats://a:1',                    options: { servers: ['a:1'] } },
  { url: 'nats://a,nats://b:2',           options: { servers: ['a:4222', 'b:2'] } },
  { url: 'tls://a',                       options: { servers: ['a:4222'], tls: {} } },
  { url: 'nats://me:p%40ss@a:1',          options: { servers: ['a:1'], user: 'me', pass: 'p@ss' } },
  { url: 'nats://secret@a:1,nats://b:1',  options: { servers: ['a:1', 'b:1'], token: 'secret' } },
])('$url is parsed', ({ url, options }) => {
  expect(parseNatsUrls(url)).toEqual(options)
})

test.each(['localhost:4222', 'http://a', 'nats://'])('%s is rejected as a NATS URL', (url) => {
  expect(() => parseNatsUrls(url)).toThrow()
})

// biome-ignore format: a table.
test.each([
  { reply: '$JS.ACK.WORK.c.3.7.9.1700000000.0',            deliveries: 3 },
  { reply: '$JS.ACK._.hash.WORK.c.12.7.9.1700000000.0.x',  deliveries: 12 },
  { reply: '',                                             deliveries: 1 },
  { reply: 'some.reply',                                   deliveries: 1 },
])('the message with the reply subject "$reply" was delivered $deliveries times', ({ reply, deliveries }) => {
  expect(deliveriesOf(reply)).toBe(deliveries)
})

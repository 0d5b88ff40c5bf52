// The code in the guide works: its receivers accept real signed requests, and its table of retries matches the
// schedule of the server.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { liveWaits, testWaits } from '../../server/src/domains/webhooks/deliveries/schedule.ts'
import { signWebhook } from '../src/index.ts'
import { compile } from './support/compile.ts'
import {
  example,
  fences,
  guide,
  isInstalled,
  programNamed,
  readerFolder,
  start,
  startReceiver,
  waitUntil,
} from './support/guide.ts'
import { newEvent, secret } from './support/webhook-receiver.ts'

const reader = await readerFolder()
afterAll(reader.remove)
const url = `http://127.0.0.1:${reader.port}/webhooks`

describe.each([
  ['receiver.ts', [process.execPath, 'receiver.ts'], 'new customer: ada@example.com'],
  ['receive_webhooks.py', ['python3', 'receive_webhooks.py'], 'customer.created customer_test_1'],
])('%s', (_, command, printed) => {
  const testIfInstalled = test.runIf(isInstalled(command[0] ?? ''))

  testIfInstalled('accepts what send.ts signs, and rejects a forged webhook', async () => {
    const receiver = await startReceiver(command, reader, secret)
    onTestFinished(receiver.stop)

    const sender = start([process.execPath, 'send.ts'], reader.folder, { WEBHOOK_SECRET: secret })

    expect([await sender.ended, sender.output()]).toEqual([0, '200 400\n'])
    await waitUntil(() => receiver.output().includes(printed), receiver.output)
    expect(receiver.output()).not.toContain('eve@')
    receiver.stop()
    await receiver.ended
  })

  testIfInstalled(
    'rejects a replay: an old attempt, and an attempt without the headers that contain its time',
    async () => {
      const receiver = await startReceiver(command, reader, secret)
      onTestFinished(receiver.stop)
      const { body, headers } = await signWebhook(newEvent(), secret, { now: new Date(Date.now() - 301_000) })
      const stripped = { 'signature-digest': headers['signature-digest'] ?? '' }

      for (const requestHeaders of [headers, stripped])
        expect((await fetch(url, { method: 'POST', body, headers: requestHeaders })).status).toBe(400)
      receiver.stop()
      await receiver.ended
      expect(receiver.output()).not.toContain(printed)
    },
  )

  testIfInstalled('handles an event once, and responds with 200 to other types', async () => {
    const receiver = await startReceiver(command, reader, secret)
    onTestFinished(receiver.stop)
    const post = async (event = newEvent(), key = secret) => {
      const response = await fetch(url, { method: 'POST', ...(await signWebhook(event, key)) })
      return response.status
    }
    const event = newEvent()

    expect([await post(event), await post(event)]).toEqual([200, 200])
    expect(await post(newEvent('invoice.paid'))).toBe(200)
    expect(await post(newEvent(), 'whsec_c3dpdGNoeWFyZCB0ZXN0IHNlY3JldCBuby4gdGhyZWU=')).toBe(400)
    expect((await fetch(url, { method: 'POST', body: '[]' })).status).toBe(400)
    await waitUntil(() => receiver.output().includes('invoice.paid customer_test_1'), receiver.output)
    expect(receiver.output().split(printed)).toHaveLength(2)
    receiver.stop()
    await receiver.ended
  })
})

test.each(['receiver.ts', 'send.ts'])('%s compiles in a strict project', (name) => {
  expect(compile(programNamed(name), reader.folder, ['node'])).toBe('')
})

test.each([
  ['receive_webhooks.py', 'python'],
  ['verify_webhook.py', 'python'],
  ['verify-webhook.sh', 'sh'],
])('examples/%s is in the guide, unchanged', (name, language) => {
  expect(fences).toContainEqual(expect.objectContaining({ info: language, text: example(name) }))
})

test('every program of the guide is run here or in a shell', () => {
  const programs = fences.filter(({ info }) => !/^(sh run|sh start|)$/.test(info)).map(({ text }) => text)
  const tested = [
    programNamed('receiver.ts'),
    programNamed('send.ts'),
    ...['receive_webhooks.py', 'verify_webhook.py', 'verify-webhook.sh'].map(example),
    // Variables that are defined at the start of every guide.
    'export TEST_URL=http://127.0.0.1:8081\nexport TEST_TOKEN=sk_test_...\n',
    'node send.ts\n',
  ]

  expect(programs.filter((text) => !tested.includes(text))).toEqual([])
})

test('the table of retries is the schedule of the server', () => {
  const rows = [...guide.matchAll(/^\| (\d+) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm)].map(([, ...cells]) => cells)
  const column = (index: number) =>
    rows.flatMap((cells) => (cells[index] === '-' ? [] : secondsOf(cells[index] ?? '')))

  expect(rows.map(([number]) => Number(number))).toEqual(liveWaits.map((_, index) => index + 1))
  expect(column(1)).toEqual(liveWaits)
  expect(column(2)).toEqual(testWaits)
  const total = liveWaits.reduce((sum, wait) => sum + wait, 0)
  const [, attempts, days, hours, minutes] =
    /(\d+) attempts over (\d+) d (\d+) h (\d+) min/.exec(guide)?.map(Number) ?? []
  expect([attempts, ((days ?? 0) * 24 + (hours ?? 0)) * 60 + (minutes ?? 0)]).toEqual([
    liveWaits.length + 1,
    Math.round(total / 60),
  ])
  expect(guide).toContain(`and ${testWaits.length + 1} in the test environment`)
})

function secondsOf(text: string): number {
  const [count = '', unit = ''] = text.split(' ')
  return Number(count) * ({ s: 1, min: 60, h: 3600 }[unit] ?? Number.NaN)
}

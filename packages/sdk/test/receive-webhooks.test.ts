// Whoever copies from the guide has something that works: its receivers take real signed requests, and what
// it says of retries is what the server does.

import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { liveWaits, testWaits } from '../../server/src/domains/deliveries/schedule.ts'
import { signWebhook } from '../src/index.ts'
import { compile } from './support/compile.ts'
import {
  example,
  fences,
  guide,
  isInstalled,
  placeOfReader,
  programNamed,
  start,
  startReceiver,
  until,
} from './support/guide.ts'
import { anEvent, secret } from './support/webhook-receiver.ts'

const place = await placeOfReader()
afterAll(place.remove)
const url = `http://127.0.0.1:${place.port}/webhooks`

describe.each([
  ['receiver.ts', [process.execPath, 'receiver.ts'], 'new customer: ada@example.com'],
  ['receive_webhooks.py', ['python3', 'receive_webhooks.py'], 'customer.created customer_test_1'],
])('%s', (_, command, printed) => {
  const here = test.runIf(isInstalled(command[0] ?? ''))

  here('takes what send.ts signs, and refuses what was forged', async () => {
    const receiver = await startReceiver(command, place, secret)
    onTestFinished(receiver.stop)

    const sender = start([process.execPath, 'send.ts'], place.folder, { WEBHOOK_SECRET: secret })

    expect([await sender.ended, sender.output()]).toEqual([0, '200 400\n'])
    await until(() => receiver.output().includes(printed), receiver.output)
    expect(receiver.output()).not.toContain('eve@')
    receiver.stop()
    await receiver.ended
  })

  here('runs an event once, and answers other types with 200', async () => {
    const receiver = await startReceiver(command, place, secret)
    onTestFinished(receiver.stop)
    const post = async (event = anEvent(), key = secret) => {
      const answer = await fetch(url, { method: 'POST', ...(await signWebhook(event, key)) })
      return answer.status
    }
    const event = anEvent()

    expect([await post(event), await post(event)]).toEqual([200, 200])
    expect(await post(anEvent('invoice.paid'))).toBe(200)
    expect(await post(anEvent(), 'whsec_c3dpdGNoeWFyZCB0ZXN0IHNlY3JldCBuby4gdGhyZWU=')).toBe(400)
    expect((await fetch(url, { method: 'POST', body: '[]' })).status).toBe(400)
    await until(() => receiver.output().includes('invoice.paid customer_test_1'), receiver.output)
    expect(receiver.output().split(printed)).toHaveLength(2)
    receiver.stop()
    await receiver.ended
  })
})

test.each(['receiver.ts', 'send.ts'])('%s compiles in a strict project', (name) => {
  expect(compile(programNamed(name), place.folder, ['node'])).toBe('')
})

test.each([
  ['receive_webhooks.py', 'python'],
  ['verify_webhook.py', 'python'],
  ['verify-webhook.sh', 'sh'],
])('examples/%s stands in the guide as it is', (name, language) => {
  expect(fences).toContainEqual(expect.objectContaining({ info: language, text: example(name) }))
})

test('every program of the guide is one that is run here or in a shell', () => {
  const programs = fences.filter(({ info }) => !/^(sh run|sh start|)$/.test(info)).map(({ text }) => text)
  const known = [
    programNamed('receiver.ts'),
    programNamed('send.ts'),
    ...['receive_webhooks.py', 'verify_webhook.py', 'verify-webhook.sh'].map(example),
    // Variables that every guide begins with.
    'export TEST_URL=http://127.0.0.1:8081\nexport TEST_TOKEN=sk_test_...\n',
    'node send.ts\n',
  ]

  expect(programs.filter((text) => !known.includes(text))).toEqual([])
})

test('the table of retries is the schedule of the server', () => {
  const rows = [...guide.matchAll(/^\| (\d+) +\| ([^|]+?) +\| ([^|]+?) +\|$/gm)].map(([, ...cells]) => cells)
  const column = (place: number) =>
    rows.flatMap((cells) => (cells[place] === '-' ? [] : secondsOf(cells[place] ?? '')))

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

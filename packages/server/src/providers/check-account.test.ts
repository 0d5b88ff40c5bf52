// What becomes of a check: what strangers wrote is kept only as far as it can be, and nobody waits for ever.

import { afterAll, expect, test } from 'vitest'
import { simulatorForThisFile } from '../../test/support/simulator.ts'
import { createOutbound } from '../platform/outbound/client.ts'
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import { createAccountCheck } from './check-account.ts'

const simulator = await simulatorForThisFile()
const outbound = createOutbound({ allowCidrs: [], allowLoopback: true })
afterAll(() => outbound.close())

const secret = 'psec_0123456789abcdef'
await simulator.configure('north', { secrets: [secret] })
const account = {
  mode: 'test',
  cardData: 'pan',
  config: { base_url: `${simulator.url}/north`, secrets: [secret] },
} as const

type Manifest = { capabilities: object; features: object }

/** The simulator, whose manifest and whose health say something else. */
const saying = (manifest: (said: Manifest) => object, health = 200) => ({
  async send(request: Parameters<typeof outbound.send>[0]): Promise<OutboundReply> {
    const reply = await outbound.send(request)
    if (reply.is !== 'answered') return reply
    if (request.url.endsWith('/health')) return { ...reply, status: health }
    if (!request.url.endsWith('/manifest')) return reply
    return { ...reply, body: JSON.stringify(manifest(JSON.parse(reply.body))) }
  },
})

test('of a manifest the members that we know are kept, and of lists the words that can be meant', async () => {
  const check = createAccountCheck(
    saying((said) => ({
      ...said,
      extra: 'x',
      capabilities: {
        ...said.capabilities,
        brands: ['visa', 'VISA', 'a\0b'],
        currencies: ['eur', 'jpy', 'EUR', 'x'.repeat(1_000)],
        countries: ['GB', 'gb', '\ud800'],
        amount: { min: 1, max: 5_000, extra: 1 },
        extra: 'x',
      },
    })),
  )

  expect(await check(account)).toEqual({
    faults: [],
    manifest: {
      protocol: 1,
      timeout_ms: expect.any(Number),
      capabilities: {
        kinds: ['verify', 'authorize', 'capture', 'void', 'refund'],
        ...{ brands: ['visa'], currencies: ['eur', 'jpy'], countries: ['GB'] },
        amount: { min: 1, max: 5_000 },
        ...{ manual_capture: true, multi_capture: true, partial_refund: true },
        ...{ three_d_secure: true, off_session: true },
      },
      features: { lookup: true, close: true, complete: true, tokens: true },
    },
  })
})

test('of a provider that breaks a promise no manifest is kept', async () => {
  const check = createAccountCheck(saying((said) => said, 500))

  expect(await check(account)).toEqual({
    faults: [{ duty: 'health answers 200', detail: 'It answered 500.' }],
    manifest: null,
  })
})

test('when the time is over nothing more is sent', async () => {
  let sent = 0
  const counting = {
    send: (request: Parameters<typeof outbound.send>[0]) => {
      sent += 1
      return outbound.send(request)
    },
  }

  const { faults } = await createAccountCheck(counting, 0)(account)

  expect([sent, faults.length]).toEqual([0, 1])
})

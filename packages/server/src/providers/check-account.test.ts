// The result of a check: provider data is stored only as far as permitted, and the check has a time limit.

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

/** The simulator with another manifest and health status. */
const simulatorWith = (manifest: (original: Manifest) => object, health = 200) => ({
  async send(request: Parameters<typeof outbound.send>[0]): Promise<OutboundReply> {
    const reply = await outbound.send(request)
    if (reply.kind !== 'answered') return reply
    if (request.url.endsWith('/health')) return { ...reply, status: health }
    if (!request.url.endsWith('/manifest')) return reply
    return { ...reply, body: JSON.stringify(manifest(JSON.parse(reply.body))) }
  },
})

test('only known members and valid list entries of a manifest are kept', async () => {
  const check = createAccountCheck(
    simulatorWith((original) => ({
      ...original,
      extra: 'x',
      capabilities: {
        ...original.capabilities,
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
        brands: ['visa'],
        currencies: ['eur', 'jpy'],
        countries: ['GB'],
        amount: { min: 1, max: 5_000 },
        manual_capture: true,
        multi_capture: true,
        partial_refund: true,
        three_d_secure: true,
        off_session: true,
      },
      features: { lookup: true, close: true, complete: true, tokens: true, list: true },
    },
  })
})

test('the manifest of a non-conforming provider is not kept', async () => {
  const check = createAccountCheck(simulatorWith((original) => original, 500))

  expect(await check(account)).toEqual({
    faults: [{ duty: 'health returns 200', detail: 'The provider returned 500.' }],
    manifest: null,
  })
})

test('after the time limit no more requests are sent', async () => {
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

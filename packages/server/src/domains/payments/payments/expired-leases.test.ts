// A sender stalls until its lease has expired and the resolver has repeated the request. The sender then
// reports that its own request was not sent, which must not count as a failure of the operation. The ledger
// of the simulator shows what was charged.

import { expect, test } from 'vitest'
import { cardNumberForScenario } from '../../../../../simulator/src/cards.ts'
import { simulatorForThisFile } from '../../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'
import { createOutbound } from '../../../platform/outbound/client.ts'
import type { Outbound, OutboundReply } from '../../../platform/outbound/outbound.ts'

const simulator = await simulatorForThisFile()

/** The result of a request that was not sent because no connection became free. */
const neverSent: OutboundReply = {
  kind: 'failed',
  cause: 'ours',
  detail: 'No connection became available.',
  mayHaveBeenSent: false,
  timings: { durationMs: 0, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  connectionReused: false,
  remoteIp: null,
}

/** The first operation blocks until `release` is resolved, and then fails without having been sent. */
const blocked = Promise.withResolvers<void>()
const release = Promise.withResolvers<void>()
let isFirst = true
const real = createOutbound({ allowLoopback: true, allowCidrs: [] })
const outbound: Outbound = {
  ...real,
  async send(request) {
    const isOperation = request.method === 'PUT' && request.url.includes('/operations/')
    if (!isOperation || !isFirst) return real.send(request)
    isFirst = false
    blocked.resolve()
    await release.promise
    return neverSent
  },
}
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { outbound },
})

test('a sender that fails after the resolver has repeated its request does not cause a failover', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: accounts } = await workspace.get('/provider-accounts')
  for (const { id } of accounts.data) await simulator.configure(id, { webhooks: 'off' })
  // The provider charges this card, and then responds with an error.
  const card = { number: cardNumberForScenario('5003'), exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await workspace.post('/tokens', { type: 'card', card })
  const paying = workspace.post('/payments', { amount: 1299, currency: 'eur', token: token.id })
  await blocked.promise
  switchyard.clock.advance({ seconds: 75 })
  await switchyard.settle()
  release.resolve()

  const { body: payment } = await paying
  expect(payment).toMatchObject({ status: 'processing', attempts_count: 1 })
  for (let minutes = 0; minutes < 10; minutes += 2) {
    switchyard.clock.advance({ minutes: 2 })
    await switchyard.settle()
  }
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, attempts_count: 1, review: null })
  expect(body.summary).toBe('€12.99 charged to Visa •••• 0008.')
  const response = await fetch(`${simulator.url}/control/sums?payment_id=${payment.id}`)
  expect(await response.json()).toMatchObject({ sums: [{ approvals: 1, captured: 1299 }] })
})

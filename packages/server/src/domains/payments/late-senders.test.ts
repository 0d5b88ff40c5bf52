// A sender that stands still until its lease is over comes back to a payment that the resolver has taken over. That
// its own call never left proves nothing any more. The simulator's ledger is the judge.

import { expect, test } from 'vitest'
import { numberOfScenario } from '../../../../simulator/src/cards.ts'
import { simulatorForThisFile } from '../../../test/support/simulator.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { createOutbound } from '../../platform/outbound/client.ts'
import type { Outbound, OutboundReply } from '../../platform/outbound/outbound.ts'

const simulator = await simulatorForThisFile()

/** What was never sent, because no connection became free. */
const neverSent: OutboundReply = {
  is: 'failed',
  cause: 'ours',
  detail: 'No connection became free.',
  mayHaveBeenSent: false,
  timings: { durationMs: 0, dnsMs: null, connectMs: null, tlsMs: null, firstByteMs: null },
  connectionReused: false,
  remoteIp: null,
}

/** The first operation stands still here until it is let go, and is not sent then. */
const still = Promise.withResolvers<void>()
const letGo = Promise.withResolvers<void>()
let isFirst = true
const real = createOutbound({ allowLoopback: true, allowCidrs: [] })
const outbound: Outbound = {
  ...real,
  async send(request) {
    const isOperation = request.method === 'PUT' && request.url.includes('/operations/')
    if (!isOperation || !isFirst) return real.send(request)
    isFirst = false
    still.resolve()
    await letGo.promise
    return neverSent
  },
}
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  overrides: { outbound },
})

test('a first sender that comes back after the resolver sent it does not lead to another account', async () => {
  const workspace = await switchyard.newWorkspace()
  const { body: accounts } = await workspace.get('/provider-accounts')
  for (const { id } of accounts.data) await simulator.configure(id, { webhooks: 'off' })
  // Whoever sends it first is charged, and hears an error.
  const card = { number: numberOfScenario('5003'), exp_month: 12, exp_year: 2030, cvc: '123' }
  const { body: token } = await workspace.post('/tokens', { type: 'card', card })
  const paying = workspace.post('/payments', { amount: 1299, currency: 'eur', token: token.id })
  await still.promise
  switchyard.clock.advance({ seconds: 75 })
  await switchyard.settle()
  letGo.resolve()

  const { body: payment } = await paying
  expect(payment).toMatchObject({ status: 'processing', attempts_count: 1 })
  for (let minutes = 0; minutes < 10; minutes += 2) {
    switchyard.clock.advance({ minutes: 2 })
    await switchyard.settle()
  }
  const { body } = await workspace.get(`/payments/${payment.id}`)
  expect(body).toMatchObject({ status: 'succeeded', amount_captured: 1299, attempts_count: 1, review: null })
  expect(body.summary).toBe('EUR 12.99 was taken from visa ending in 0008.')
  const answer = await fetch(`${simulator.url}/control/sums?payment_id=${payment.id}`)
  expect(await answer.json()).toMatchObject({ sums: [{ approvals: 1, captured: 1299 }] })
})

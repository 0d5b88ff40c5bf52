// The simulator in the setup of an operator: in another process, at a private address, with a secret.

import { afterAll, expect, test } from 'vitest'
import { startSimulator } from '../../../../../simulator/src/index.ts'
import { switchyardForThisFile } from '../../../../test/support/switchyard.ts'

const controlSecret = 'a-shared-control-secret'
const simulator = await startSimulator({ controlSecret })
afterAll(simulator.stop)
const switchyard = await switchyardForThisFile({
  environment: {
    SIMULATOR_URL: simulator.url,
    SIMULATOR_SECRET: controlSecret,
    // Switchyard must not call any other service on this machine.
    WEBHOOK_ALLOW_LOOPBACK: 'false',
  },
})

test('a test workspace can use the simulator, although other private addresses are blocked', async () => {
  const { post } = await switchyard.newWorkspace('test')
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  const token = await post('/tokens', { type: 'card', card })

  const payment = await post('/payments', { amount: 1299, currency: 'eur', token: token.body.id })
  const elsewhere = await post('/webhook-endpoints', { url: 'https://127.0.0.1:9999/', event_types: ['*'] })

  expect(payment.body).toMatchObject({ status: 'succeeded' })
  expect(JSON.stringify(elsewhere.body)).toContain('does not point to the public internet')
})

test('the control API of the simulator rejects requests without the secret, even from the same machine', async () => {
  const statusWith = (headers: Record<string, string>) =>
    fetch(`${simulator.url}/control/sums`, { headers }).then(({ status }) => status)

  expect(await statusWith({})).toBe(403)
  expect(await statusWith({ authorization: 'Bearer something-else' })).toBe(403)
  expect(await statusWith({ authorization: `Bearer ${controlSecret}` })).toBe(200)
})

test('a live workspace can use the simulator neither directly nor as a custom provider', async () => {
  const { post } = await switchyard.newWorkspace('live')

  const asSimulator = await post('/provider-accounts', { provider: 'simulator', display_name: 'One' })
  const asCustom = await post('/provider-accounts', {
    provider: 'custom',
    display_name: 'Two',
    config: { base_url: `${simulator.url}/north` },
  })

  expect(asSimulator.body).toMatchObject({ code: 'test_mode_only' })
  expect(JSON.stringify(asCustom.body)).toContain('must begin with https://')
})

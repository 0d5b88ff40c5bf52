// A process that is killed between any two steps of a payment charges nobody twice and loses nothing: started
// again, and asked again with the same key, it goes on with the same payment. The simulator's ledger is the judge.

import { afterAll, expect, test } from 'vitest'
import { databaseClock } from '../../src/kernel/clock.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { type ServerProcess, startServer } from '../support/server-process.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'

const simulator = await simulatorForThisFile()
const switchyard = await switchyardForThisFile({
  environment: { SIMULATOR_URL: simulator.url },
  // Processes of their own know no clock that is turned by hand.
  overrides: { clock: databaseClock },
})
const running: ServerProcess[] = []
afterAll(() => Promise.all(running.map((server) => server.kill('SIGKILL'))))

async function start(environment: Record<string, string> = {}): Promise<ServerProcess> {
  const server = await startServer('all', {
    DATABASE_URL: switchyard.databaseUrl,
    SIMULATOR_URL: simulator.url,
    ...environment,
  })
  running.push(server)
  return server
}

const call = (server: ServerProcess, { token }: Workspace, path: string, key: string, body: object) =>
  fetch(server.addresses.test + path, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  })

const sumsOf = async (paymentId: string) => {
  const answer = await fetch(`${simulator.url}/control/sums?payment_id=${paymentId}`)
  const { sums } = (await answer.json()) as { sums: Record<string, number>[] }
  return sums[0] ?? { approvals: 0, captured: 0, refunded: 0 }
}

/** The lease of the one that died runs out, and of its key; the resolver asks. */
async function afterLeases(): Promise<void> {
  await asOwner(switchyard.databaseUrl, async (client) => {
    await client.query(`set session_replication_role = replica;
      update idempotency_keys set lease_until = now() - interval '1 second' where state = 'running';
      update operations set lease_until = now() - interval '1 second', due_at = now() - interval '1 second'
      where status = 'sending'`)
  })
}

async function aToken({ post }: Workspace): Promise<string> {
  const card = { number: '4242424242424242', exp_month: 12, exp_year: 2030, cvc: '123' }
  return (await post('/tokens', { type: 'card', card })).body.id
}

const points = ['payment.intended', 'payment.answered', 'payment.recorded'] as const

test.each(points)('killed at %s while creating: one charge, one payment, one answer', async (point) => {
  const workspace = await switchyard.newWorkspace()
  const body = { amount: 1299, currency: 'eur', token: await aToken(workspace) }
  const doomed = await start({ CRASHPOINT: point })
  await expect(call(doomed, workspace, '/payments', 'order-1', body)).rejects.toThrow()
  expect(await doomed.exited).toBe('SIGKILL')

  await afterLeases()
  const healthy = await start()
  const { data } = (await workspace.get('/payments')).body
  expect(data).toHaveLength(1)
  await expect
    .poll(async () => (await workspace.get(`/payments/${data[0].id}`)).body.status, { timeout: 20_000 })
    .toBe('succeeded')
  const answer = await call(healthy, workspace, '/payments', 'order-1', body)
  expect(answer.status).toBe(201)
  expect(await answer.json()).toMatchObject({ id: data[0].id, status: 'succeeded', amount_captured: 1299 })
  expect(await sumsOf(data[0].id)).toMatchObject({ approvals: 1, captured: 1299 })
  await healthy.kill('SIGTERM')
})

test.each(points)('killed at %s while giving back: one refund', async (point) => {
  const workspace = await switchyard.newWorkspace()
  const { body: payment } = await workspace.post('/payments', {
    ...{ amount: 1299, currency: 'eur', token: await aToken(workspace) },
  })
  expect(payment.status).toBe('succeeded')
  const doomed = await start({ CRASHPOINT: point })
  const body = { payment_id: payment.id, amount: 500 }
  await expect(call(doomed, workspace, '/refunds', 'refund-1', body)).rejects.toThrow()
  expect(await doomed.exited).toBe('SIGKILL')

  await afterLeases()
  const healthy = await start()
  await expect
    .poll(async () => (await workspace.get(`/payments/${payment.id}`)).body.amount_refunded, {
      timeout: 20_000,
    })
    .toBe(500)
  const answer = await call(healthy, workspace, '/refunds', 'refund-1', body)
  expect(answer.status).toBe(201)
  expect(await answer.json()).toMatchObject({ object: 'refund', status: 'succeeded', amount: 500 })
  expect(await sumsOf(payment.id)).toMatchObject({ captured: 1299, refunded: 500 })
  await healthy.kill('SIGTERM')
})

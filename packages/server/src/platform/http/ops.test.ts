import { afterAll, expect, test } from 'vitest'
import { testMasterKeys } from '../../../test/support/master-keys.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { compose } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { readinessOf, watchDatabase } from '../../readiness.ts'
import { figures, nameOf } from '../figures.ts'
import { createOps } from './ops.ts'

const switchyard = await switchyardForThisFile()
const environment = { MASTER_KEYS: testMasterKeys, LOG_LEVEL: 'silent' }
const ops = createOps(switchyard.metrics, () => readinessOf(switchyard))
afterAll(() => ops.close())

test('ready means Postgres; a missing engine is told, and does not hold it back', async () => {
  expect((await ops.inject('/healthz')).json()).toEqual({ status: 'alive' })

  const answer = await ops.inject('/readyz')

  expect(answer.statusCode).toBe(200)
  expect(answer.json()).toEqual({
    status: 'degraded',
    notes: ['NATS_URL is not set: work is done by one process alone.'],
  })
})

async function reachable(process: Parameters<typeof watchDatabase>[0]) {
  // From the other value, so that the look has to change it.
  const { databaseReachable } = process.metrics
  databaseReachable.set(-1)
  await watchDatabase(process).stop()
  return (await databaseReachable.get()).values[0]?.value
}

test('without Postgres it is alive and not ready', async () => {
  const lost = compose(readConfig({ ...environment, DATABASE_URL: 'postgres://switchyard@127.0.0.1:1/none' }))

  expect(await readinessOf(lost)).toMatchObject({
    ready: false,
    notes: [expect.stringContaining('Postgres does not answer')],
  })
  expect(await reachable(lost)).toBe(0)
  expect(await reachable(switchyard)).toBe(1)
  await lost.close()
})

test('a process that is about to stop is not ready any more', async () => {
  const leaving = compose(readConfig({ ...environment, DATABASE_URL: switchyard.databaseUrl }))

  leaving.drain()

  expect(await readinessOf(leaving)).toEqual({ ready: false, notes: ['The process is about to stop.'] })
  await leaving.close()
})

test('figures name operations and never what a caller chose', async () => {
  const { aCustomer, get } = await switchyard.newWorkspace()
  const id = await aCustomer()
  await get(`/customers/${id}`)

  await expect
    .poll(async () => (await ops.inject('/metrics')).body)
    .toContain('switchyard_http_request_seconds_count{mode="test",operation="customers.get",status="200"}')
  const { body } = await ops.inject('/metrics')
  expect(body).not.toContain(id)
  for (const figure of Object.values(figures)) {
    expect(body).toContain(`# HELP ${nameOf(figure)} `)
    expect(body).toContain(`# TYPE ${nameOf(figure)} ${figure.type}`)
  }
  for (const mode of ['live', 'test'])
    expect(body).toContain(`switchyard_deliveries_exhausted_total{mode="${mode}"} 0`)
  expect(body).toMatch(/^switchyard_database_connections\{state="waiting"\} 0$/m)
})

test('a refusal is counted by its code', async () => {
  const { get, post } = await switchyard.newWorkspace()
  await get('/customers', { token: 'nonsense' })
  await post('/customers', { email: 'ada@example.com' }, { headers: { 'Idempotency-Key': 'same' } })
  await post('/customers', { email: 'bob@example.com' }, { headers: { 'Idempotency-Key': 'same' } })

  for (const code of ['token_invalid', 'idempotency_key_reused'])
    await expect
      .poll(async () => (await ops.inject('/metrics')).body)
      .toContain(`switchyard_http_refusals_total{mode="test",code="${code}"} 1`)
})

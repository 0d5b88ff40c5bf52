import { afterAll, expect, test } from 'vitest'
import { testMasterKeys } from '../../../test/support/master-keys.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { compose } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { readinessOf, watchDatabases } from '../../readiness.ts'
import { metricDefinitions, nameOf } from '../metric-definitions.ts'
import { createOps } from './ops.ts'

const switchyard = await switchyardForThisFile()
const environment = { MASTER_KEYS: testMasterKeys, LOG_LEVEL: 'silent' }
const ops = createOps(switchyard.metrics, () => readinessOf(switchyard))
afterAll(() => ops.close())

test('readiness requires Postgres; a missing engine is reported, but the process is ready', async () => {
  expect((await ops.inject('/healthz')).json()).toEqual({ status: 'alive' })

  const response = await ops.inject('/readyz')

  expect(response.statusCode).toBe(200)
  expect(response.json()).toEqual({
    status: 'degraded',
    notes: ['NATS_URL is not set: one process does all background work.'],
  })
})

async function reachable(process: Parameters<typeof watchDatabases>[0]) {
  // Start from another value, so that the check has to change it.
  const { databaseReachable } = process.metrics
  databaseReachable.set({ shard: 'shard0' }, -1)
  await watchDatabases(process).stop()
  return (await databaseReachable.get()).values[0]?.value
}

test('without Postgres the process is alive but not ready', async () => {
  const withoutDatabase = compose(
    readConfig({ ...environment, DATABASE_URL: 'postgres://switchyard@127.0.0.1:1/none' }),
  )

  expect(await readinessOf(withoutDatabase)).toMatchObject({
    ready: false,
    notes: [expect.stringContaining('Postgres does not respond')],
  })
  expect(await reachable(withoutDatabase)).toBe(0)
  expect(await reachable(switchyard)).toBe(1)
  await withoutDatabase.close()
})

test('a process that is shutting down is not ready', async () => {
  const stopping = compose(readConfig({ ...environment, DATABASE_URL: switchyard.databaseUrl }))

  stopping.drain()

  expect(await readinessOf(stopping)).toEqual({ ready: false, notes: ['The process is shutting down.'] })
  await stopping.close()
})

test('metrics contain names of operations and no user input', async () => {
  const { aCustomer, get } = await switchyard.newWorkspace()
  const id = await aCustomer()
  await get(`/customers/${id}`)

  await expect
    .poll(async () => (await ops.inject('/metrics')).body)
    .toContain('switchyard_http_request_seconds_count{mode="test",operation="customers.get",status="200"}')
  const { body } = await ops.inject('/metrics')
  expect(body).not.toContain(id)
  for (const definition of Object.values(metricDefinitions)) {
    expect(body).toContain(`# HELP ${nameOf(definition)} `)
    expect(body).toContain(`# TYPE ${nameOf(definition)} ${definition.type}`)
  }
  for (const mode of ['live', 'test'])
    expect(body).toContain(`switchyard_deliveries_exhausted_total{mode="${mode}"} 0`)
  expect(body).toMatch(/^switchyard_database_connections\{shard="shard0",state="waiting"\} 0$/m)
})

test('an error is counted by its code', async () => {
  const { get, post } = await switchyard.newWorkspace()
  await get('/customers', { token: 'nonsense' })
  await post('/customers', { email: 'ada@example.com' }, { headers: { 'Idempotency-Key': 'same' } })
  await post('/customers', { email: 'bob@example.com' }, { headers: { 'Idempotency-Key': 'same' } })

  for (const code of ['token_invalid', 'idempotency_key_reused'])
    await expect
      .poll(async () => (await ops.inject('/metrics')).body)
      .toContain(`switchyard_http_refusals_total{mode="test",code="${code}"} 1`)
})

import { afterAll, expect, test } from 'vitest'
import { testMasterKeys } from '../../../test/support/master-keys.ts'
import { switchyardForThisFile } from '../../../test/support/switchyard.ts'
import { compose } from '../../compose.ts'
import { readConfig } from '../../config.ts'
import { readinessOf } from '../../readiness.ts'
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

test('without Postgres it is alive and not ready', async () => {
  const lost = compose(readConfig({ ...environment, DATABASE_URL: 'postgres://switchyard@127.0.0.1:1/none' }))

  expect(await readinessOf(lost)).toMatchObject({
    ready: false,
    notes: [expect.stringContaining('Postgres does not answer')],
  })
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
  for (const name of [
    'work_due',
    'work_handled_total',
    'work_oldest_due_seconds',
    'engine_connected',
    'database_connections',
  ]) {
    expect(body).toContain(`# HELP switchyard_${name} `)
  }
})

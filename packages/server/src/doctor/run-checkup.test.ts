// Runs each check on its own database, first healthy and then with a fault.

import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { newDatabase } from '../../test/support/database.ts'
import { natsForThisFile } from '../../test/support/nats.ts'
import { switchyardForThisFile } from '../../test/support/switchyard.ts'
import type { Id } from '../kernel/id.ts'
import { uuidOf } from '../kernel/id.ts'
import { roleFacts } from '../platform/db/inspect.ts'
import { asOwner } from '../platform/db/owner.ts'
import { partitionedTables, partitionRangeOf } from '../platform/db/partitions.ts'
import { connectEngine } from '../platform/engine/engine.ts'
import { workTypes } from '../work-types.ts'
import { assessAddresses } from './addresses.ts'
import { type Check, ok, thisMachine } from './check.ts'
import { assessPartitions, assessRoles, assessSkew } from './database.ts'
import { assessLags } from './engine.ts'
import { checks, runCheckup } from './run-checkup.ts'

const nats = natsForThisFile()
const switchyard = await switchyardForThisFile()
const { deps, config, engine, clock, log, metrics } = switchyard
const tools = {
  config,
  databases: deps.databases,
  clock,
  engine,
  workTypes,
  machine: thisMachine,
  checkTaxProvider: async () => null,
  checkVault: async () => null,
}

/** A database that a test may break, and a function that runs one check on it. */
async function createDatabase() {
  const databaseOwnerUrl = await newDatabase()
  const run = (text: string) => asOwner(databaseOwnerUrl, (client) => client.query(text))
  return { run, check: (id: string) => runCheck(id, { config: { ...config, databaseOwnerUrl } }) }
}

async function runCheck(id: string, changes: object = {}) {
  const selected = checks.filter((check) => check.id === id)
  expect(selected).toHaveLength(1)
  const { checks: results } = await runCheckup({ ...tools, ...changes }, selected)
  return results[0]
}

test('GET /system returns the result of every check to an ADMIN, and to no other role', async () => {
  const { get, tokenFor } = await switchyard.newWorkspace()

  const { status, body } = await get('/system')

  expect(status).toBe(200)
  expect(body.checks.map(({ id }: { id: string }) => id)).toEqual(checks.map(({ id }) => id))
  // The harness runs without NATS, and its database has no WAL archive.
  expect(body.status).toBe('warn')
  expect(body.checks.filter((check: { status: string }) => check.status !== 'ok')).toEqual([
    expect.objectContaining({
      id: 'archive',
      status: 'warn',
      detail: 'archive_mode is off: a restore loses all data written after the last backup.',
      advice: expect.stringContaining('backup-and-restore.md'),
    }),
    {
      id: 'nats',
      title: 'NATS',
      status: 'warn',
      detail: 'NATS_URL is not set: one process does all background work.',
      advice: 'Set NATS_URL to distribute the work over several processes.',
    },
  ])
  for (const role of ['DEVELOPER', 'SUPPORT', 'READ_ONLY'] as const)
    expect((await get('/system', { token: await tokenFor(role) })).status).toBe(403)
})

test('an unreachable database fails the check', async () => {
  const unreachable = { config: { ...config, databaseOwnerUrl: 'postgres://nobody@127.0.0.1:1/nothing' } }

  expect(await runCheck('database', unreachable)).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/^The check failed: /),
  })
})

test('a check of owner-only data passes if no owner URL is set, and fails if DATABASE_OWNER_URL is wrong', async () => {
  const { run } = await createDatabase()
  const name = `login_${randomBytes(6).toString('hex')}`
  await run(`create role ${name} login password 'x'`)
  const url = new URL(switchyard.databaseUrl)
  Object.assign(url, { username: name, password: 'x' })
  const databaseOwnerUrl = url.href
  const [sharedUser, ownerUser] = [
    { ...config, databaseUrl: databaseOwnerUrl, databaseOwnerUrl },
    { ...config, databaseOwnerUrl },
  ]

  const hidden = await runCheck('migrations', { config: sharedUser })
  const failed = await runCheck('migrations', { config: ownerUser })
  await run(`drop role ${name}`)

  expect(hidden).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^Not visible to this process: run doctor/),
  })
  expect(failed).toMatchObject({ status: 'fail', detail: expect.stringMatching(/permission denied/) })
})

const queryCheck = (id: string, query: (client: Client) => Promise<unknown>): Check => ({
  id,
  title: id,
  run: ({ owner }) => owner.withClient((client) => query(client).then(() => ok('It responded.'))),
})
const slowCheck = (id: string) => queryCheck(id, (client) => client.query('select pg_sleep(0.7)'))

test('the time limit of a check starts when the check starts', async () => {
  // Together they exceed the time limit of one check.
  const { checks: results } = await runCheckup(tools, [slowCheck('a'), slowCheck('b'), slowCheck('c')], 2_000)

  expect(results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
})

test('a check that never ends times out, and the checks after it still run', async () => {
  const endless = queryCheck('endless', () => new Promise(() => {}))
  const quick = queryCheck('quick', (client) => client.query('select 1'))

  const { checks: results } = await runCheckup(tools, [endless, quick], 500)

  expect(results).toMatchObject([{ detail: 'The check timed out.' }, { detail: 'It responded.' }])
})

test('a server that accepts the connection and does not respond times out', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const databaseOwnerUrl = `postgres://nobody@127.0.0.1:${port}/nothing`

  expect(await runCheck('database', { config: { ...config, databaseOwnerUrl } })).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/timeout/),
  })
  silent.close()
})

test('a missing migration fails the check', async () => {
  const { run, check } = await createDatabase()
  expect(await check('migrations')).toMatchObject({ status: 'ok' })
  await run('delete from schema_migrations where name = (select max(name) from schema_migrations)')

  expect(await check('migrations')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/^Not applied: \d{4}_/),
    advice: 'Run the command migrate, then start the processes of this version.',
  })
})

test.each([
  'alter table customers disable row level security',
  'alter table customers no force row level security',
  'drop policy own_workspace on customers',
])('a table without tenant isolation fails the check: %s', async (fault) => {
  const { run, check } = await createDatabase()
  expect(await check('isolation')).toMatchObject({ status: 'ok' })
  await run(fault)

  expect(await check('isolation')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/for customers\.$/),
  })
})

test('a missing partition and rows in the default partition are reported', async () => {
  const { run, check } = await createDatabase()
  const payments = partitionedTables.find(({ table }) => table === 'payments')
  if (payments === undefined) throw new Error('Payments must be partitioned.')
  const { rows } = await run('select now() as now')
  const [now, next] = [partitionRangeOf(payments, rows[0].now), partitionRangeOf(payments, rows[0].now, 1)]

  expect(await check('partitions')).toMatchObject({ status: 'ok' })
  await run(`drop table ${next.name}`)
  expect(await check('partitions')).toMatchObject({
    status: 'warn',
    detail: expect.stringContaining(next.name),
  })
  await run(
    `set session_replication_role = replica; insert into request_log_default (workspace_id, id, method, path, status,
       api_version, replayed, duration_ms) values (gen_random_uuid(), '00000000-0000-7000-8000-000000000000', 'GET', '/',
       200, '2026-11-14', false, 1)`,
  )
  expect(await check('partitions')).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(/request_log/),
  })
  await run(`drop table ${now.name}`)
  expect(await check('partitions')).toMatchObject({
    status: 'fail',
    detail: expect.stringContaining(now.name),
  })
})

// biome-ignore format: a table.
test.each([
  [0,       'ok',   'ahead of'],
  [-400,    'ok',   'behind'],
  [900,     'warn', 'ahead of'],
  [-2_500,  'fail', 'behind'],
])('a clock skew of %d ms is reported as %s', (skewMs, status, side) => {
  expect(assessSkew(skewMs)).toMatchObject({ status, detail: expect.stringContaining(side) })
})

test('overdue work is listed, the most overdue first', () => {
  const lags = [
    { work: 'a.b', seconds: 5 },
    { work: 'c.d', seconds: 90 },
    { work: 'e.f', seconds: 300 },
  ]

  expect(assessLags(lags)).toMatchObject({ status: 'warn', detail: 'Overdue: e.f by 300 s, c.d by 90 s.' })
  expect(assessLags([{ work: 'a.b', seconds: 601 }])).toMatchObject({ status: 'fail' })
  expect(assessLags([])).toMatchObject({ status: 'ok' })
})

test('overdue work and overdue webhooks are reported', async () => {
  const { aCustomer, anEndpoint } = await switchyard.newWorkspace()
  await anEndpoint('http://127.0.0.1:1024/')
  await aCustomer()
  clock.advance({ minutes: 11 })

  expect(await runCheck('work')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/report\.count by \d+ s/),
  })
  expect(await runCheck('webhooks')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/webhook_endpoint\.deliver/),
  })
  await switchyard.settleAll()
  expect(await runCheck('work')).toMatchObject({ status: 'ok' })
})

test('parked work is reported until it is released', async () => {
  const { workspaceId } = await switchyard.newWorkspace()
  const uuid = uuidOf(workspaceId as Id<'workspace'>)
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `insert into work_failures (workspace_id, work, object_id, failures, reason, retry_at, parked_at)
       values ($1, 'report.count', $1, 10, 'Error', now(), now())`,
      [uuid],
    ),
  )

  expect(await runCheck('parked')).toMatchObject({
    status: 'warn',
    detail: 'Parked work items: 1. Types: report.count.',
  })
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query('delete from work_failures where workspace_id = $1', [uuid]),
  )
  expect(await runCheck('parked')).toMatchObject({ status: 'ok' })
})

test('a connected NATS, a missing stream and an unavailable NATS are reported', async () => {
  const withNats = { config: { ...config, natsUrl: nats.url } }
  const connected = connectEngine({ natsUrl: nats.url, log, metrics })
  await expect.poll(() => connected.unavailableForMs(), { timeout: 10_000 }).toBe(0)
  await expect.poll(() => connected.connection.live(), { timeout: 10_000 }).not.toBeNull()

  expect(await runCheck('nats', { ...withNats, engine: connected })).toMatchObject({ status: 'ok' })
  expect(await runCheck('stream', { ...withNats, engine: connected })).toMatchObject({
    status: 'warn',
    detail: 'The stream WORK does not exist.',
  })
  await connected.close()
  expect(
    await runCheck('nats', { ...withNats, engine: { ...engine, unavailableForMs: () => 61_000 } }),
  ).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(/unreachable for 61 s/),
  })
  expect(await runCheck('stream', withNats)).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(/unreachable/),
  })
})

test('a missing master key and a master key that can be removed are reported', async () => {
  const { anEndpoint } = await switchyard.newWorkspace()
  await anEndpoint('http://127.0.0.1:1024/')
  const [current] = config.masterKeys
  if (current === undefined) throw new Error('The test configuration has no master key.')
  const other = { ...current, id: 'newer' }
  const withKeys = (...masterKeys: (typeof current)[]) => ({ config: { ...config, masterKeys } })

  expect(await runCheck('keys')).toMatchObject({ status: 'ok' })
  expect(await runCheck('keys', withKeys(other))).toMatchObject({
    status: 'fail',
    detail: expect.stringContaining(`"${current.id}"`),
  })
  expect(await runCheck('keys', withKeys(other, current))).toMatchObject({
    status: 'warn',
    advice: expect.stringMatching(/keys rotate/),
  })
  expect(await runCheck('keys', withKeys(current, other))).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/newer can be removed/),
  })
})

// biome-ignore format: a table.
test.each([
  ['https://api.example.com',  'https://test.example.com', 'ok'],
  ['http://127.0.0.1:8080',    'http://localhost:8081',    'ok'],
  ['https://api.example.com',  'https://api.example.com',  'fail'],
  ['http://api.example.com',   'https://test.example.com', 'fail'],
  ['https://api.example.com',  'http://test.example.com',  'warn'],
])('the addresses %s and %s are reported as %s', (live, test, status) => {
  expect(assessAddresses({ live, test })).toMatchObject({ status })
})

test('a partition that is missing today is worse than one that is missing for the next period', () => {
  const all = { missingNow: ['a'], missingNext: ['b'], strays: ['c'] }

  expect(assessPartitions(all).status).toBe('fail')
  expect(assessPartitions({ ...all, missingNow: [] })).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(/partition of c contains/),
  })
  expect(assessPartitions({ ...all, missingNow: [], strays: [] })).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(/: b/),
  })
})

test('a role that bypasses row-level security is named', async () => {
  const facts = await asOwner(switchyard.databaseUrl, async (client) => {
    // Roles belong to the whole server, so the change is rolled back and never visible to others.
    await client.query('begin; alter role switchyard_app bypassrls')
    const roles = await roleFacts(client)
    await client.query('rollback')
    return roles
  })

  expect(facts).toEqual({ missing: [], bypassing: ['switchyard_app'] })
  expect(assessRoles(facts)).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/switchyard_app bypass/),
    advice: 'As a superuser: alter role switchyard_app nosuperuser nobypassrls;',
  })
})

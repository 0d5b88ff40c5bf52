// Each check on a database of its own that is as it should be, and then is not.

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
import { partitionedTables, stretchOf } from '../platform/db/partitions.ts'
import { connectEngine } from '../platform/engine/engine.ts'
import { works } from '../worker.ts'
import { judgeAddresses } from './addresses.ts'
import { type Check, ok, thisMachine } from './check.ts'
import { judgePartitions, judgeRoles, judgeSkew } from './database.ts'
import { judgeLags } from './engine.ts'
import { checks, examine } from './examine.ts'

const nats = natsForThisFile()
const switchyard = await switchyardForThisFile()
const { deps, config, engine, clock, log, metrics } = switchyard
const tools = { config, databases: deps.databases, clock, engine, works, machine: thisMachine }

/** A database that a test may break, and the tools to look at it. */
async function aDatabase() {
  const databaseOwnerUrl = await newDatabase()
  const run = (text: string) => asOwner(databaseOwnerUrl, (client) => client.query(text))
  return { run, look: (id: string) => verdictOf(id, { config: { ...config, databaseOwnerUrl } }) }
}

async function verdictOf(id: string, changes: object = {}) {
  const check = checks.filter((one) => one.id === id)
  expect(check).toHaveLength(1)
  const { checks: results } = await examine({ ...tools, ...changes }, check)
  return results[0]
}

test('GET /system tells an ADMIN what every check says, and nobody else', async () => {
  const { get, tokenFor } = await switchyard.newWorkspace()

  const { status, body } = await get('/system')

  expect(status).toBe(200)
  expect(body.checks.map(({ id }: { id: string }) => id)).toEqual(checks.map(({ id }) => id))
  // The harness runs without NATS, and its two addresses are on this machine.
  expect(body.status).toBe('warn')
  expect(body.checks.filter((check: { status: string }) => check.status !== 'ok')).toEqual([
    {
      ...{
        id: 'nats',
        title: 'NATS',
        status: 'warn',
        detail: 'NATS_URL is not set: one process does all work.',
      },
      advice: 'Set NATS_URL to spread it over several.',
    },
  ])
  for (const role of ['DEVELOPER', 'SUPPORT', 'READ_ONLY'] as const)
    expect((await get('/system', { token: await tokenFor(role) })).status).toBe(403)
})

test('a database that is not there', async () => {
  const away = { config: { ...config, databaseOwnerUrl: 'postgres://nobody@127.0.0.1:1/nothing' } }

  expect(await verdictOf('database', away)).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/could not be looked at/),
  })
})

test('a user that owns nothing says so where it may not look, and a user that should own them fails', async () => {
  const { run } = await aDatabase()
  const name = `login_${randomBytes(6).toString('hex')}`
  await run(`create role ${name} login password 'x'`)
  const url = new URL(switchyard.databaseUrl)
  Object.assign(url, { username: name, password: 'x' })
  const databaseOwnerUrl = url.href
  const [shared, named] = [
    { ...config, databaseUrl: databaseOwnerUrl, databaseOwnerUrl },
    { ...config, databaseOwnerUrl },
  ]

  const seen = await verdictOf('migrations', { config: shared })
  const failed = await verdictOf('migrations', { config: named })
  await run(`drop role ${name}`)

  expect(seen).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/^Not visible to this process: run doctor/),
  })
  expect(failed).toMatchObject({ status: 'fail', detail: expect.stringMatching(/permission denied/) })
})

const asking = (id: string, ask: (client: Client) => Promise<unknown>): Check => ({
  ...{ id, title: id },
  look: ({ owner }) => owner.ask((client) => ask(client).then(() => ok('It answered.'))),
})
const sleeping = (id: string) => asking(id, (client) => client.query('select pg_sleep(0.7)'))

test('the time of a check runs from its turn', async () => {
  // Together they take longer than one may.
  const { checks: results } = await examine(tools, [sleeping('a'), sleeping('b'), sleeping('c')], 2_000)

  expect(results.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
})

test('a check that never ends is given up on, and whoever waits behind it gets its turn', async () => {
  const endless = asking('endless', () => new Promise(() => {}))
  const quick = asking('quick', (client) => client.query('select 1'))

  const { checks: results } = await examine(tools, [endless, quick], 500)

  expect(results).toMatchObject([{ detail: 'It took too long to look.' }, { detail: 'It answered.' }])
})

test('a server that takes the connection and says nothing is given up on', async () => {
  const silent = createServer().listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const { port } = silent.address() as AddressInfo
  const databaseOwnerUrl = `postgres://nobody@127.0.0.1:${port}/nothing`

  expect(await verdictOf('database', { config: { ...config, databaseOwnerUrl } })).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/timeout/),
  })
  silent.close()
})

test('a migration that is missing', async () => {
  const { run, look } = await aDatabase()
  expect(await look('migrations')).toMatchObject({ status: 'ok' })
  await run('delete from schema_migrations where name = (select max(name) from schema_migrations)')

  expect(await look('migrations')).toMatchObject({
    ...{
      status: 'fail',
      detail: expect.stringMatching(/^Not applied: \d{4}_/),
      advice: 'Run the command migrate, then start the processes of this version.',
    },
  })
})

test.each([
  'alter table customers disable row level security',
  'alter table customers no force row level security',
  'drop policy own_workspace on customers',
])('a table that shows every tenant: %s', async (fault) => {
  const { run, look } = await aDatabase()
  expect(await look('isolation')).toMatchObject({ status: 'ok' })
  await run(fault)

  expect(await look('isolation')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/for customers\.$/),
  })
})

test('a partition that is missing, and rows that lie in none', async () => {
  const { run, look } = await aDatabase()
  const payments = partitionedTables.find(({ table }) => table === 'payments')
  if (payments === undefined) throw new Error('Payments are partitioned.')
  const { rows } = await run('select now() as now')
  const [now, next] = [stretchOf(payments, rows[0].now), stretchOf(payments, rows[0].now, 1)]

  expect(await look('partitions')).toMatchObject({ status: 'ok' })
  await run(`drop table ${next.name}`)
  expect(await look('partitions')).toMatchObject({
    status: 'warn',
    detail: expect.stringContaining(next.name),
  })
  await run(
    `set session_replication_role = replica; insert into request_log_default (workspace_id, id, method, path, status,
       api_version, replayed, duration_ms) values (gen_random_uuid(), '00000000-0000-7000-8000-000000000000', 'GET', '/',
       200, '2026-11-14', false, 1)`,
  )
  expect(await look('partitions')).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(/request_log/),
  })
  await run(`drop table ${now.name}`)
  expect(await look('partitions')).toMatchObject({
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
])('a clock that is %d ms off', (skewMs, status, side) => {
  expect(judgeSkew(skewMs)).toMatchObject({ status, detail: expect.stringContaining(side) })
})

test('work that is behind is named, the worst first', () => {
  const lags = [
    { work: 'a.b', seconds: 5 },
    { work: 'c.d', seconds: 90 },
    { work: 'e.f', seconds: 300 },
  ]

  expect(judgeLags(lags)).toMatchObject({ status: 'warn', detail: 'Behind: e.f by 300 s, c.d by 90 s.' })
  expect(judgeLags([{ work: 'a.b', seconds: 601 }])).toMatchObject({ status: 'fail' })
  expect(judgeLags([])).toMatchObject({ status: 'ok' })
})

test('work that nobody does, and webhooks that nobody sends', async () => {
  const { aCustomer, anEndpoint } = await switchyard.newWorkspace()
  await anEndpoint('http://127.0.0.1:1024/')
  await aCustomer()
  clock.advance({ minutes: 11 })

  expect(await verdictOf('work')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/report\.count by \d+ s/),
  })
  expect(await verdictOf('webhooks')).toMatchObject({
    status: 'fail',
    detail: expect.stringMatching(/webhook_endpoint\.deliver/),
  })
  await switchyard.settle()
  expect(await verdictOf('work')).toMatchObject({ status: 'ok' })
})

test('work that is parked', async () => {
  const { workspaceId } = await switchyard.newWorkspace()
  const uuid = uuidOf(workspaceId as Id<'workspace'>)
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query(
      `insert into work_failures (workspace_id, work, object_id, failures, reason, retry_at, parked_at)
       values ($1, 'report.count', $1, 10, 'Error', now(), now())`,
      [uuid],
    ),
  )

  expect(await verdictOf('parked')).toMatchObject({
    status: 'warn',
    detail: '1 failed ten times and wait for a person: report.count.',
  })
  await asOwner(switchyard.databaseUrl, (client) =>
    client.query('delete from work_failures where workspace_id = $1', [uuid]),
  )
  expect(await verdictOf('parked')).toMatchObject({ status: 'ok' })
})

test('NATS that is there, without a stream, and that is away', async () => {
  const withNats = { config: { ...config, natsUrl: nats.url } }
  const connected = connectEngine({ natsUrl: nats.url, log, metrics })
  await expect.poll(() => connected.awayForMs(), { timeout: 10_000 }).toBe(0)
  await expect.poll(() => connected.connection.line(), { timeout: 10_000 }).not.toBeNull()

  expect(await verdictOf('nats', { ...withNats, engine: connected })).toMatchObject({ status: 'ok' })
  expect(await verdictOf('stream', { ...withNats, engine: connected })).toMatchObject({
    ...{ status: 'warn', detail: 'The stream WORK is not there.' },
  })
  await connected.close()
  expect(
    await verdictOf('nats', { ...withNats, engine: { ...engine, awayForMs: () => 61_000 } }),
  ).toMatchObject({
    ...{ status: 'warn', detail: expect.stringMatching(/away for 61 s/) },
  })
  expect(await verdictOf('stream', withNats)).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(/away/),
  })
})

test('a master key that is missing, and one that may go', async () => {
  const { anEndpoint } = await switchyard.newWorkspace()
  await anEndpoint('http://127.0.0.1:1024/')
  const [own] = config.masterKeys
  if (own === undefined) throw new Error('There is one.')
  const other = { ...own, id: 'newer' }
  const withKeys = (...masterKeys: (typeof own)[]) => ({ config: { ...config, masterKeys } })

  expect(await verdictOf('keys')).toMatchObject({ status: 'ok' })
  expect(await verdictOf('keys', withKeys(other))).toMatchObject({
    ...{ status: 'fail', detail: expect.stringContaining(`"${own.id}"`) },
  })
  expect(await verdictOf('keys', withKeys(other, own))).toMatchObject({
    status: 'warn',
    advice: expect.stringMatching(/keys rotate/),
  })
  expect(await verdictOf('keys', withKeys(own, other))).toMatchObject({
    status: 'ok',
    detail: expect.stringMatching(/newer may go/),
  })
})

// biome-ignore format: a table.
test.each([
  ['https://api.example.com',  'https://test.example.com', 'ok'],
  ['http://127.0.0.1:8080',    'http://localhost:8081',    'ok'],
  ['https://api.example.com',  'https://api.example.com',  'fail'],
  ['http://api.example.com',   'https://test.example.com', 'fail'],
  ['https://api.example.com',  'http://test.example.com',  'warn'],
])('addresses %s and %s', (live, test, status) => {
  expect(judgeAddresses({ live, test })).toMatchObject({ status })
})

test('what is missing for today is worse than what is not made ahead', () => {
  const all = { missingNow: ['a'], missingNext: ['b'], strays: ['c'] }

  expect(judgePartitions(all).status).toBe('fail')
  expect(judgePartitions({ ...all, missingNow: [] })).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(/of c lie/),
  })
  expect(judgePartitions({ ...all, missingNow: [], strays: [] })).toMatchObject({
    status: 'warn',
    detail: expect.stringMatching(/: b/),
  })
})

test('a role for which row-level security does not hold is named', async () => {
  const facts = await asOwner(switchyard.databaseUrl, async (client) => {
    // Roles belong to the whole server, so what is done here is undone before anybody else could see it.
    await client.query('begin; alter role switchyard_app bypassrls')
    const found = await roleFacts(client)
    await client.query('rollback')
    return found
  })

  expect(facts).toEqual({ missing: [], passing: ['switchyard_app'] })
  expect(judgeRoles(facts)).toMatchObject({
    ...{ status: 'fail', detail: expect.stringMatching(/does not hold for switchyard_app/) },
    advice: 'As a superuser: alter role switchyard_app nosuperuser nobypassrls;',
  })
})

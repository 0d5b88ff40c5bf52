// One installation, as it should be; then one fault after another. The doctor names each, and nothing else.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { natsForThisFile } from '../../test/support/nats.ts'
import { startOldNats } from '../../test/support/old-nats.ts'
import { switchyardForThisFile, type Workspace } from '../../test/support/switchyard.ts'
import { type Id, uuidOf } from '../kernel/id.ts'
import { migrate } from '../platform/db/migrate.ts'
import { asOwner } from '../platform/db/owner.ts'
import { partitionedTables, stretchOf } from '../platform/db/partitions.ts'
import { connectEngine, type Engine } from '../platform/engine/engine.ts'
import { ensureStreams, streamName } from '../platform/engine/streams.ts'
import { works } from '../worker.ts'
import { instantOf, type Tools, thisMachine } from './check.ts'
import { examine } from './examine.ts'

const nats = natsForThisFile()
const switchyard = await switchyardForThisFile()
const { deps, clock, log, metrics, addresses, databaseUrl } = switchyard
const run = (text: string, values: unknown[] = []) =>
  asOwner(databaseUrl, async (client) => {
    // Nobody told of these changes, which is what makes them faults.
    await client.query('set session_replication_role = replica')
    return client.query(text, values)
  })

let engine: Engine
let workspace: Workspace
let tools: Tools

beforeAll(async () => {
  engine = await connected(nats.url)
  await makeStream()
  workspace = await switchyard.newWorkspace()
  // Makes the key of the workspace.
  await workspace.anEndpoint('http://127.0.0.1:1024/')
  await aPayment()
  const config = { ...switchyard.config, natsUrl: nats.url }
  // How full the disk of whoever runs the tests is, is none of their business.
  const machine = { ...thisMachine, volumeOf: async () => ({ freeBytes: 50e9, totalBytes: 100e9 }) }
  tools = { config, databases: deps.databases, clock, engine, works, machine }
})
afterAll(() => engine.close())

async function connected(natsUrl: string): Promise<Engine> {
  const made = connectEngine({ natsUrl, log, metrics })
  await new Promise<void>((resolve) => made.connection.onConnected(resolve))
  return made
}

function makeStream() {
  const { manager } = engine.connection.line() ?? {}
  if (manager === undefined) throw new Error('NATS is connected.')
  const names = works.map(({ name }) => name)
  return ensureStreams(manager, names, { replicas: 1, ackWaitMs: 30_000 })
}

const ours = () => uuidOf(workspace.workspaceId as Id<'workspace'>)

/** A payment of ten, of which three were refunded, as its events tell. */
async function aPayment() {
  const { rows } = await run(
    `insert into payments (workspace_id, id, status, purpose, amount, currency, amount_captured, amount_refunded,
       capture_method, initiator, three_d_secure, card, created_at, updated_at)
     select $1, uuidv7(), 'succeeded', 'payment', 10, 'eur', 10, 3, 'automatic', 'customer', 'auto', '{}', now(), now()
     returning id`,
    [ours()],
  )
  await run(
    `insert into refunds (workspace_id, payment_id, id, status, amount, currency, reason, source, created_at, updated_at)
     values ($1, $2, uuidv7(), 'succeeded', 3, 'eur', 'other', 'api', now(), now())`,
    [ours(), rows[0].id],
  )
  await run(
    `insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data)
     values ($1, uuidv7(), 'payment.succeeded', $2, 1, '2026-11-14', now(), '{}')`,
    [ours(), rows[0].id],
  )
}

type Mend = () => unknown
type Seeded = { readonly changes?: Partial<Tools>; readonly mend?: Mend; readonly which?: readonly string[] }
type Fault = {
  readonly fault: string
  readonly check: string
  readonly status: 'warn' | 'fail'
  readonly says: RegExp
  readonly advises: RegExp
  seed(): Promise<Seeded> | Seeded
}

const withConfig = (changes: Partial<Tools['config']>): Seeded => ({
  changes: { config: { ...tools.config, ...changes } },
})

const faults: readonly Fault[] = [
  {
    fault: 'a master key with other bytes',
    ...{ check: 'keys', status: 'fail', says: /"\S+" has other bytes/, advises: /former bytes/ },
    seed: () =>
      withConfig({ masterKeys: tools.config.masterKeys.map((one) => ({ ...one, key: randomBytes(32) })) }),
  },
  {
    fault: 'a master key that is missing',
    ...{ check: 'keys', status: 'fail', says: /which is not in MASTER_KEYS/, advises: /behind the first/ },
    seed: () => withConfig({ masterKeys: [{ id: 'newer', key: randomBytes(32) }] }),
  },
  {
    fault: 'a clock that is five seconds ahead',
    ...{ check: 'clock', status: 'fail', says: /(49|50)\d\d ms ahead of/, advises: /NTP/ },
    seed: () => {
      const time = () => new Date(thisMachine.time().getTime() + 5_000)
      return { changes: { machine: { ...tools.machine, time } } }
    },
  },
  {
    fault: 'a migration that is not applied',
    ...{ check: 'migrations', status: 'fail', says: /^Not applied: \d{4}_/, advises: /command migrate/ },
    async seed() {
      const newest = 'name = (select max(name) from schema_migrations)'
      const { rows } = await run(`delete from schema_migrations where ${newest} returning *`)
      const mend = () =>
        run('insert into schema_migrations select * from json_populate_record(null::schema_migrations, $1)', [
          JSON.stringify(rows[0]),
        ])
      return { mend }
    },
  },
  {
    fault: 'a NATS that is too old',
    ...{ check: 'nats', status: 'fail', says: /NATS 2\.10\.7/, advises: /NATS 2\.12 or newer/ },
    async seed() {
      const proxy = await startOldNats(nats.url, '2.10.7')
      const old = await connected(proxy.url)
      const mend = async () => {
        await old.close()
        proxy.close()
      }
      return { changes: { engine: old }, mend }
    },
  },
  {
    fault: 'a stream that is missing',
    ...{
      check: 'stream',
      status: 'warn',
      says: /stream WORK is not there/,
      advises: /Start one of this version/,
    },
    async seed() {
      await engine.connection.line()?.manager.streams.delete(streamName)
      return { mend: makeStream }
    },
  },
  {
    fault: 'production without TLS',
    ...{ check: 'addresses', status: 'fail', says: /can be read and changed/, advises: /https:/ },
    seed: () => withConfig({ addresses: { ...addresses, live: 'http://api.example.com' } }),
  },
  {
    fault: 'an address with a path',
    ...{ check: 'addresses', status: 'fail', says: /api\/v1 has more than/, advises: /host name or a port/ },
    seed: () => withConfig({ addresses: { ...addresses, live: `${addresses.live}/api/v1` } }),
  },
  {
    fault: 'one address for two environments',
    ...{ check: 'addresses', status: 'fail', says: /have one address/, advises: /two addresses/ },
    seed: () => withConfig({ addresses: { live: addresses.live, test: addresses.live } }),
  },
  {
    fault: 'a proxy that exchanges the addresses',
    ...{ check: 'addresses', status: 'fail', says: /leads to staging/, advises: /LIVE_LISTEN/ },
    seed: () => {
      const { live, test: staging } = addresses
      const exchanged = (url: string) =>
        url.startsWith(live) ? url.replace(live, staging) : url.replace(staging, live)
      return { changes: { machine: { ...tools.machine, ask: (url) => thisMachine.ask(exchanged(url)) } } }
    },
  },
  {
    fault: 'a process that was started with another address',
    ...{ check: 'addresses', status: 'fail', says: /takes itself for http/, advises: /same LIVE_BASE_URL/ },
    seed: () =>
      withConfig({ addresses: { ...addresses, live: addresses.live.replace('127.0.0.1', 'localhost') } }),
  },
  {
    fault: 'an address where nobody listens',
    ...{ check: 'addresses', status: 'warn', says: /cannot be reached from here/, advises: /TEST_LISTEN/ },
    seed: () => withConfig({ addresses: { ...addresses, test: 'http://127.0.0.1:1024' } }),
  },
  {
    fault: 'an address where somebody else listens',
    ...{ check: 'addresses', status: 'fail', says: /is not Switchyard/, advises: /LIVE_LISTEN/ },
    seed: () => withConfig({ addresses: { ...addresses, live: switchyard.dashboardUrl } }),
  },
  {
    fault: 'a webhook endpoint that cannot be reached',
    ...{
      check: 'endpoints',
      status: 'warn',
      says: /^1 enabled one does not/,
      advises: /attempts of their del/,
    },
    async seed() {
      const other = await switchyard.newWorkspace()
      const id = await other.anEndpoint('http://127.0.0.1:1025/')
      await other.aCustomer()
      await switchyard.settle()
      return { mend: () => other.delete(`/webhook-endpoints/${id}`), which: [id] }
    },
  },
  {
    fault: 'a partition that is missing',
    ...{
      check: 'partitions',
      status: 'fail',
      says: /Missing for today: checkout_sessions_/,
      advises: /migrate/,
    },
    async seed() {
      const [table] = partitionedTables.filter((one) => one.table === 'checkout_sessions')
      if (table === undefined) throw new Error('Checkout sessions are partitioned.')
      await run(`drop table ${stretchOf(table, new Date()).name}`)
      return { mend: () => migrate(databaseUrl) }
    },
  },
  {
    fault: 'a token that ends soon and is used',
    ...{
      check: 'secrets',
      status: 'warn',
      says: /^1 API token that was used today expires/,
      advises: /new token/,
    },
    async seed() {
      const expires_at = new Date(instantOf(clock).getTime() + 3 * 86_400_000).toISOString()
      const { body } = await workspace.post('/api-tokens', { name: 'soon', role: 'READ_ONLY', expires_at })
      await workspace.get('/customers', { token: body.token })
      await run('update api_tokens set last_used_at = $2 where workspace_id = $1', [ours(), instantOf(clock)])
      return { mend: () => workspace.post(`/api-tokens/${body.id}/revoke`), which: [body.id] }
    },
  },
  {
    fault: 'an endpoint whose only secret has expired',
    ...{
      check: 'secrets',
      status: 'fail',
      says: /^1 enabled webhook endpoints have no secret/,
      advises: /rotate_secret/,
    },
    async seed() {
      const set = (at: string) =>
        run(`update webhook_secrets set expires_at = ${at} where workspace_id = $1`, [ours()])
      await set("'2026-01-01'")
      return { mend: () => set('null') }
    },
  },
  {
    fault: 'a volume that is nearly full',
    ...{
      check: 'disk',
      status: 'fail',
      says: /volume of the database is 95 % full/,
      advises: /volume larger/,
    },
    seed: () => {
      const volumeOf = async () => ({ freeBytes: 5e9, totalBytes: 100e9 })
      return { changes: { machine: { ...tools.machine, volumeOf } } }
    },
  },
  {
    fault: 'databases that outgrow what the operator said',
    ...{ check: 'disk', status: 'fail', says: /of the 1 MB of DATABASE_DISK_GB/, advises: /volume larger/ },
    seed: () => ({
      changes: {
        config: { ...tools.config, databaseDiskGb: 1 / 1024 },
        machine: { ...tools.machine, volumeOf: async () => null },
      },
    }),
  },
  {
    fault: 'a table without forced row-level security',
    ...{ check: 'isolation', status: 'fail', says: /off for customers\.$/, advises: /enable and force/ },
    async seed() {
      await run('alter table customers no force row level security')
      return { mend: () => run('alter table customers force row level security') }
    },
  },
  {
    fault: 'webhooks that nobody sends',
    ...{
      check: 'webhooks',
      status: 'fail',
      says: /webhook_endpoint\.deliver by 1\d{3} s/,
      advises: /worker/,
    },
    async seed() {
      const other = await switchyard.newWorkspace()
      const id = await other.anEndpoint('http://127.0.0.1:1025/')
      await other.aCustomer()
      await run("update deliveries set due_at = due_at - interval '20 minutes' where state = 'pending'")
      const mend = async () => {
        await other.delete(`/webhook-endpoints/${id}`)
        await switchyard.settle()
      }
      return { mend }
    },
  },
  {
    fault: 'a variable that was misspelt',
    ...{ check: 'settings', status: 'warn', says: /Was LOG_LEVEL meant/, advises: /command config/ },
    seed: () => withConfig({ notices: ['LOGLEVEL is set, and nobody reads it. Was LOG_LEVEL meant?'] }),
  },
  {
    fault: 'a payment whose refunds do not add up',
    ...{
      check: 'books',
      status: 'fail',
      says: /refunds of 1 payments do not add up/,
      advises: /last backup/,
    },
    async seed() {
      await run('update payments set amount_refunded = 4')
      return { mend: () => run('update payments set amount_refunded = 3') }
    },
  },
  {
    fault: 'a change that was not told',
    ...{
      check: 'books',
      status: 'fail',
      says: /^1 payments have changes without an event/,
      advises: /last backup/,
    },
    async seed() {
      await run('update payments set sequence = 2')
      return { mend: () => run('update payments set sequence = 1') }
    },
  },
]

const findings = async (changes: Partial<Tools> = {}) => {
  const { checks } = await examine({ ...tools, ...changes })
  return checks.filter(({ status }) => status !== 'ok')
}

test('an installation that is as it should be has no finding', async () => {
  expect(await findings()).toEqual([])
})

test.each(faults)('$fault is named, with what to do, and nothing else is', async (one) => {
  const { changes, mend, which } = await one.seed()
  const found = await findings(changes)
  await mend?.()

  expect(found).toEqual([
    expect.objectContaining({
      ...{ id: one.check, status: one.status },
      detail: expect.stringMatching(one.says),
      advice: expect.stringMatching(one.advises),
      which: which ?? expect.any(Array),
    }),
  ])
  expect(await findings()).toEqual([])
})

test('no secret is in what the doctor says, and no id of a tenant in what GET /system answers', async () => {
  const planted = 'hunter2'
  const [key] = tools.config.masterKeys
  const away = {
    ...tools.config,
    databaseOwnerUrl: `postgres://nobody:${planted}@127.0.0.1:1/nothing`,
    masterKeys: tools.config.masterKeys.map((one) => ({ ...one, key: randomBytes(32) })),
    mail: { smtpUrl: `smtps://me:${planted}@mail`, outbox: null, from: 'me' },
  }
  const other = await switchyard.newWorkspace()
  const id = await other.anEndpoint('http://127.0.0.1:1025/')
  await other.aCustomer()
  await switchyard.settle()

  const said = JSON.stringify(await examine({ ...tools, config: away }))
  const { body } = await workspace.get('/system')

  expect(said).toContain(id)
  expect(said).not.toContain(planted)
  expect(said).not.toContain(key?.key.toString('base64'))
  expect(body.checks.find((check: { id: string }) => check.id === 'endpoints').status).toBe('warn')
  expect(JSON.stringify(body)).not.toContain(id)
  await other.delete(`/webhook-endpoints/${id}`)
})

// Causes one fault at a time in a healthy installation. The doctor must report this fault and no other.

import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { natsForThisFile } from '../../test/support/nats.ts'
import { startOldNats } from '../../test/support/old-nats.ts'
import { asOwner } from '../../test/support/owner.ts'
import { switchyardForThisFile, type Workspace } from '../../test/support/switchyard.ts'
import { checkVault } from '../domains/access/organizations/service/check-vault.ts'
import { checkTaxProviderOf } from '../domains/billing/tax-provider/service.ts'
import { type Id, uuidOf } from '../kernel/id.ts'
import { migrate } from '../platform/db/migrate.ts'
import { partitionedTables, partitionRangeOf } from '../platform/db/partitions.ts'
import { connectEngine, type Engine } from '../platform/engine/engine.ts'
import { ensureStreams } from '../platform/engine/streams.ts'
import { onlyStream } from '../platform/engine/subjects.ts'
import { workTypes } from '../work-types.ts'
import { type DoctorTools, instantOf, thisMachine } from './check.ts'
import { runCheckup } from './run-checkup.ts'

const nats = natsForThisFile()
const switchyard = await switchyardForThisFile()
const { deps, clock, log, metrics, addresses, databaseUrl } = switchyard
const run = (text: string, values: unknown[] = []) =>
  asOwner(databaseUrl, async (client) => {
    // These changes emit no event, so the triggers that require one are disabled.
    await client.query('set session_replication_role = replica')
    return client.query(text, values)
  })

let engine: Engine
let workspace: Workspace
let tools: DoctorTools

beforeAll(async () => {
  engine = await connectedEngine(nats.url)
  await createStream()
  workspace = await switchyard.newWorkspace()
  // Creates the key of the workspace.
  await workspace.anEndpoint('http://127.0.0.1:1024/')
  await insertPayment()
  const config = { ...switchyard.config, natsUrl: nats.url }
  // The tests must not depend on how full the disk of the machine is.
  const machine = { ...thisMachine, volumeOf: async () => ({ freeBytes: 50e9, totalBytes: 100e9 }) }
  const checkTaxProvider = (id: Id<'workspace'>) => checkTaxProviderOf(deps, id)
  const checkVaultOf = (id: Id<'workspace'>) => checkVault(deps, id)
  tools = {
    config,
    databases: deps.databases,
    clock,
    engine,
    workTypes,
    machine,
    checkTaxProvider,
    checkVault: checkVaultOf,
  }
})
afterAll(() => engine.close())

async function connectedEngine(natsUrl: string): Promise<Engine> {
  const connecting = connectEngine({ natsUrl, log, metrics })
  await new Promise<void>((resolve) => connecting.connection.onConnected(resolve))
  return connecting
}

function createStream() {
  const { manager } = engine.connection.live() ?? {}
  if (manager === undefined) throw new Error('NATS must be connected.')
  const names = workTypes.map(({ name }) => name)
  return ensureStreams({ manager, stream: onlyStream }, names, { replicas: 1, ackWaitMs: 30_000 })
}

const workspaceUuid = () => uuidOf(workspace.workspaceId as Id<'workspace'>)

/** Inserts a payment of 10 with a refund of 3, and its event. */
async function insertPayment() {
  const { rows } = await run(
    `insert into payments (workspace_id, id, status, purpose, amount, currency, amount_captured, amount_refunded,
       capture_method, initiator, three_d_secure, card, created_at, updated_at)
     select $1, uuidv7(), 'succeeded', 'payment', 10, 'eur', 10, 3, 'automatic', 'customer', 'auto', '{}', now(), now()
     returning id`,
    [workspaceUuid()],
  )
  await run(
    `insert into refunds (workspace_id, payment_id, id, status, amount, currency, reason, source, created_at, updated_at)
     values ($1, $2, uuidv7(), 'succeeded', 3, 'eur', 'other', 'api', now(), now())`,
    [workspaceUuid(), rows[0].id],
  )
  await run(
    `insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data)
     values ($1, uuidv7(), 'payment.succeeded', $2, 1, '2026-11-14', now(), '{}')`,
    [workspaceUuid(), rows[0].id],
  )
}

type SeededFault = {
  readonly changes?: Partial<DoctorTools>
  readonly repair?: () => unknown
  readonly which?: readonly string[]
}
type Fault = {
  readonly fault: string
  readonly check: string
  readonly status: 'warn' | 'fail'
  readonly detail: RegExp
  readonly advice: RegExp
  seed(): Promise<SeededFault> | SeededFault
}

const withConfig = (changes: Partial<DoctorTools['config']>): SeededFault => ({
  changes: { config: { ...tools.config, ...changes } },
})

const faults: readonly Fault[] = [
  {
    fault: 'a master key with a different value',
    check: 'keys',
    status: 'fail',
    detail: /"\S+" does not have the value/,
    advice: /previous value/,
    seed: () =>
      withConfig({
        masterKeys: tools.config.masterKeys.map((masterKey) => ({ ...masterKey, key: randomBytes(32) })),
      }),
  },
  {
    fault: 'a missing master key',
    check: 'keys',
    status: 'fail',
    detail: /which is not in MASTER_KEYS/,
    advice: /after the first/,
    seed: () => withConfig({ masterKeys: [{ id: 'newer', key: randomBytes(32) }] }),
  },
  {
    fault: 'a clock that is five seconds ahead',
    check: 'clock',
    status: 'fail',
    detail: /(49|50)\d\d ms ahead of/,
    advice: /NTP/,
    seed: () => {
      const time = () => new Date(thisMachine.time().getTime() + 5_000)
      return { changes: { machine: { ...tools.machine, time } } }
    },
  },
  {
    fault: 'a migration that is not applied',
    check: 'migrations',
    status: 'fail',
    detail: /^Not applied: \d{4}_/,
    advice: /command migrate/,
    async seed() {
      const newest = 'name = (select max(name) from schema_migrations)'
      const { rows } = await run(`delete from schema_migrations where ${newest} returning *`)
      const repair = () =>
        run('insert into schema_migrations select * from json_populate_record(null::schema_migrations, $1)', [
          JSON.stringify(rows[0]),
        ])
      return { repair }
    },
  },
  {
    fault: 'a NATS version that is too old',
    check: 'nats',
    status: 'fail',
    detail: /NATS 2\.10\.7/,
    advice: /NATS 2\.12 or newer/,
    async seed() {
      const proxy = await startOldNats(nats.url, '2.10.7')
      const old = await connectedEngine(proxy.url)
      const repair = async () => {
        await old.close()
        proxy.close()
      }
      return { changes: { engine: old }, repair }
    },
  },
  {
    fault: 'a missing stream',
    check: 'stream',
    status: 'warn',
    detail: /stream WORK does not exist/,
    advice: /Start a worker of this version/,
    async seed() {
      await engine.connection.live()?.manager.streams.delete(onlyStream.name)
      return { repair: createStream }
    },
  },
  {
    fault: 'production without TLS',
    check: 'addresses',
    status: 'fail',
    detail: /can be read and modified/,
    advice: /https:/,
    seed: () => withConfig({ addresses: { ...addresses, live: 'http://api.example.com' } }),
  },
  {
    fault: 'an address with a path',
    check: 'addresses',
    status: 'fail',
    detail: /api\/v1 contains more than/,
    advice: /host name or port/,
    seed: () => withConfig({ addresses: { ...addresses, live: `${addresses.live}/api/v1` } }),
  },
  {
    fault: 'the same address for both environments',
    check: 'addresses',
    status: 'fail',
    detail: /have the same address/,
    advice: /different addresses/,
    seed: () => withConfig({ addresses: { live: addresses.live, test: addresses.live } }),
  },
  {
    fault: 'a proxy that swaps the addresses',
    check: 'addresses',
    status: 'fail',
    detail: /points to the test API/,
    advice: /LIVE_LISTEN/,
    seed: () => {
      const { live, test: staging } = addresses
      const swapped = (url: string) =>
        url.startsWith(live) ? url.replace(live, staging) : url.replace(staging, live)
      return { changes: { machine: { ...tools.machine, fetch: (url) => thisMachine.fetch(swapped(url)) } } }
    },
  },
  {
    fault: 'a process that was started with another address',
    check: 'addresses',
    status: 'fail',
    detail: /configured with the address http/,
    advice: /same LIVE_BASE_URL/,
    seed: () =>
      withConfig({ addresses: { ...addresses, live: addresses.live.replace('127.0.0.1', 'localhost') } }),
  },
  {
    fault: 'an address at which no server listens',
    check: 'addresses',
    status: 'warn',
    detail: /cannot be reached from here/,
    advice: /TEST_LISTEN/,
    seed: () => withConfig({ addresses: { ...addresses, test: 'http://127.0.0.1:1024' } }),
  },
  {
    fault: 'an address at which another server listens',
    check: 'addresses',
    status: 'fail',
    detail: /is not Switchyard/,
    advice: /LIVE_LISTEN/,
    seed: () => withConfig({ addresses: { ...addresses, live: switchyard.dashboardUrl } }),
  },
  {
    fault: 'a webhook endpoint that cannot be reached',
    check: 'endpoints',
    status: 'warn',
    detail: /^1 enabled endpoint is failing/,
    advice: /delivery attempts/,
    async seed() {
      const other = await switchyard.newWorkspace()
      const id = await other.anEndpoint('http://127.0.0.1:1025/')
      await other.aCustomer()
      await switchyard.settleAll()
      return { repair: () => other.delete(`/webhook-endpoints/${id}`), which: [id] }
    },
  },
  {
    fault: 'a missing partition',
    check: 'partitions',
    status: 'fail',
    detail: /Missing for today: checkout_sessions_/,
    advice: /migrate/,
    async seed() {
      const [table] = partitionedTables.filter(({ table }) => table === 'checkout_sessions')
      if (table === undefined) throw new Error('Checkout sessions must be partitioned.')
      await run(`drop table ${partitionRangeOf(table, new Date()).name}`)
      return { repair: () => migrate(databaseUrl) }
    },
  },
  {
    fault: 'a token in use that expires soon',
    check: 'secrets',
    status: 'warn',
    detail: /^1 API token used today expires/,
    advice: /new token/,
    async seed() {
      const expires_at = new Date(instantOf(clock).getTime() + 3 * 86_400_000).toISOString()
      const { body } = await workspace.post('/api-tokens', { name: 'soon', role: 'READ_ONLY', expires_at })
      await workspace.get('/customers', { token: body.token })
      await run('update api_tokens set last_used_at = $2 where workspace_id = $1', [
        workspaceUuid(),
        instantOf(clock),
      ])
      return { repair: () => workspace.post(`/api-tokens/${body.id}/revoke`), which: [body.id] }
    },
  },
  {
    fault: 'an endpoint whose only secret has expired',
    check: 'secrets',
    status: 'fail',
    detail: /^1 enabled webhook endpoint without a valid secret/,
    advice: /rotate_secret/,
    async seed() {
      const set = (at: string) =>
        run(`update webhook_secrets set expires_at = ${at} where workspace_id = $1`, [workspaceUuid()])
      await set("'2026-01-01'")
      return { repair: () => set('null') }
    },
  },
  {
    fault: 'a volume that is nearly full',
    check: 'disk',
    status: 'fail',
    detail: /database volume is 95% full/,
    advice: /Enlarge the volume/,
    seed: () => {
      const volumeOf = async () => ({ freeBytes: 5e9, totalBytes: 100e9 })
      return { changes: { machine: { ...tools.machine, volumeOf } } }
    },
  },
  {
    fault: 'databases that are larger than the configured volume',
    check: 'disk',
    status: 'fail',
    detail: /of the 1 MB of DATABASE_DISK_GB/,
    advice: /Enlarge the volume/,
    seed: () => ({
      changes: {
        config: { ...tools.config, databaseDiskGb: 1 / 1024 },
        machine: { ...tools.machine, volumeOf: async () => null },
      },
    }),
  },
  {
    fault: 'a table without forced row-level security',
    check: 'isolation',
    status: 'fail',
    detail: /off for customers\.$/,
    advice: /Enable and force/,
    async seed() {
      await run('alter table customers no force row level security')
      return { repair: () => run('alter table customers force row level security') }
    },
  },
  {
    fault: 'webhook deliveries that are not sent',
    check: 'webhooks',
    status: 'fail',
    detail: /webhook_endpoint\.deliver by 1\d{3} s/,
    advice: /worker/,
    async seed() {
      const other = await switchyard.newWorkspace()
      const id = await other.anEndpoint('http://127.0.0.1:1025/')
      await other.aCustomer()
      await run("update deliveries set due_at = due_at - interval '20 minutes' where state = 'pending'")
      const repair = async () => {
        await other.delete(`/webhook-endpoints/${id}`)
        await switchyard.settleAll()
      }
      return { repair }
    },
  },
  {
    fault: 'a card vault that cannot be reached',
    check: 'card_vaults',
    status: 'fail',
    detail: /card vault of 1 of 1 checked workspaces does not work. Basis Theory could not be reached/,
    advice: /PUT \/workspace/,
    async seed() {
      // The emulated vault cannot be reached, because there is no simulator.
      const vault = { provider: 'basis_theory', emulated: true }
      const changed = await workspace.put('/workspace', { card_data: { vault } })
      expect(changed.status).toBe(200)
      const repair = () => workspace.put('/workspace', { card_data: { vault: null } })
      return { repair, which: [workspace.workspaceId] }
    },
  },
  {
    fault: 'a tax provider that cannot be reached',
    check: 'tax_providers',
    status: 'fail',
    detail: /tax provider of 1 of 1 checked workspaces does not work. Stripe Tax could not be reached/,
    advice: /PUT \/tax-provider/,
    async seed() {
      // The emulated provider cannot be reached, because there is no simulator.
      const changed = await workspace.put('/tax-provider', { provider: 'stripe_tax', emulated: true })
      expect(changed.status).toBe(200)
      const repair = () => workspace.delete('/tax-provider')
      return { repair, which: [workspace.workspaceId] }
    },
  },
  {
    fault: 'a misspelled variable',
    check: 'settings',
    status: 'warn',
    detail: /Did you mean LOG_LEVEL/,
    advice: /command config/,
    seed: () =>
      withConfig({ notices: ['LOGLEVEL is set, but is not a known setting. Did you mean LOG_LEVEL?'] }),
  },
  {
    fault: 'a payment whose refunds do not add up',
    check: 'books',
    status: 'fail',
    detail: /refunds of 1 payment do not add up/,
    advice: /last backup/,
    async seed() {
      await run('update payments set amount_refunded = 4')
      return { repair: () => run('update payments set amount_refunded = 3') }
    },
  },
  {
    fault: 'a change without an event',
    check: 'books',
    status: 'fail',
    detail: /^1 payment with changes but no event/,
    advice: /last backup/,
    async seed() {
      await run('update payments set sequence = 2')
      return { repair: () => run('update payments set sequence = 1') }
    },
  },
]

/** All findings except the missing WAL archive: the PostgreSQL of the tests has none. */
const findings = async (changes: Partial<DoctorTools> = {}) => {
  const { checks } = await runCheckup({ ...tools, ...changes })
  return checks.filter(({ id, status }) => status !== 'ok' && id !== 'archive')
}

test('a healthy installation has no finding except the missing WAL archive', async () => {
  const { checks } = await runCheckup(tools)

  expect(checks.filter(({ status }) => status !== 'ok')).toMatchObject([{ id: 'archive', status: 'warn' }])
})

test.each(faults)(
  '$fault is the only finding, with advice',
  async ({ seed, check, status, detail, advice }) => {
    const { changes, repair, which } = await seed()
    const reported = await findings(changes)
    await repair?.()

    expect(reported).toEqual([
      expect.objectContaining({
        id: check,
        status,
        detail: expect.stringMatching(detail),
        advice: expect.stringMatching(advice),
        which: which ?? expect.any(Array),
      }),
    ])
    expect(await findings()).toEqual([])
  },
)

test('the output of the doctor contains no secrets, and GET /system returns no ids of other tenants', async () => {
  const secret = 'hunter2'
  const [key] = tools.config.masterKeys
  const brokenConfig = {
    ...tools.config,
    databaseOwnerUrl: `postgres://nobody:${secret}@127.0.0.1:1/nothing`,
    masterKeys: tools.config.masterKeys.map((masterKey) => ({ ...masterKey, key: randomBytes(32) })),
    mail: {
      smtpUrl: `smtps://me:${secret}@mail`,
      outbox: null,
      from: 'me',
      events: { postmark: null, sesTopics: [], returnPath: null },
      dkimSelectors: [],
      dnsServer: null,
    },
  }
  const other = await switchyard.newWorkspace()
  const id = await other.anEndpoint('http://127.0.0.1:1025/')
  await other.aCustomer()
  await switchyard.settleAll()

  const output = JSON.stringify(await runCheckup({ ...tools, config: brokenConfig }))
  const { body } = await workspace.get('/system')

  expect(output).toContain(id)
  expect(output).not.toContain(secret)
  expect(output).not.toContain(key?.key.toString('base64'))
  expect(body.checks.find((check: { id: string }) => check.id === 'endpoints').status).toBe('warn')
  expect(JSON.stringify(body)).not.toContain(id)
  await other.delete(`/webhook-endpoints/${id}`)
})

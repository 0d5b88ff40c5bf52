// Runs payment flows with known card numbers, CVCs and secrets on a separate database cluster. Then it
// searches for these values in everything that remains: the logs of the process, the responses, the webhooks,
// the tables, files and write-ahead log of the database, the most verbose log of PostgreSQL, and the files of
// NATS.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startNats } from '../../../../scripts/services/nats.ts'
import { freePort } from '../../../../scripts/services/ports.ts'
import { startPostgres } from '../../../../scripts/services/postgres.ts'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import { idFromUuid } from '../../src/kernel/id.ts'
import { migrate } from '../../src/platform/db/migrate.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { setUpWorkspace } from '../../src/setup.ts'
import { testMasterKeys } from '../support/master-keys.ts'
import { receiverForThisFile } from '../support/receiver.ts'
import { startServer } from '../support/server-process.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { startEchoProvider } from './support/echoing-provider.ts'
import { Merchant, plantedCards, runEchoFlow, runSimulatorFlow } from './support/planted-secrets-flow.ts'
import { findIn, formsOf, type PlantedSecret } from './support/scanner.ts'

const canary = 'canary-7d1f0c52e8'
const simulator = await simulatorForThisFile()
const receiver = await receiverForThisFile()

/** The secrets that were used, and the collected content of each source. */
let planted: readonly PlantedSecret[] = []
const contents = new Map<string, Buffer>()
/** A text that each source contains. If the search does not find it, the search is broken. */
const knownTexts = new Map<string, string>()

function collect(source: string, bytes: Buffer | string, knownText: string): void {
  contents.set(source, Buffer.from(bytes))
  knownTexts.set(source, knownText)
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-planted-'))
const cleanups: (() => unknown)[] = []
afterAll(async () => {
  for (const cleanUp of cleanups.toReversed()) await cleanUp()
  rmSync(folder, { recursive: true, force: true })
})

beforeAll(async () => {
  const dataDir = join(folder, 'postgres')
  const storeDir = join(folder, 'nats')
  const postgres = await startPostgres({ dataDir, settings: verboseSettings })
  cleanups.push(() => postgres.stop('immediate'))
  const nats = await startNats({ storeDir })
  cleanups.push(() => nats.stop())
  await migrate(postgres.url)
  const tokens = [await createToken(postgres.url), await createToken(postgres.url)]
  // After a checkpoint, the first change of each page writes the complete page to the write-ahead log.
  await asOwner(postgres.url, (client) => client.query('checkpoint'))

  const ports = { test: await freePort(), ops: await freePort() }
  const server = await startServer('all', {
    DATABASE_URL: postgres.url,
    NATS_URL: nats.url,
    SIMULATOR_URL: simulator.url,
    TEST_LISTEN: `127.0.0.1:${ports.test}`,
    OPS_LISTEN: `127.0.0.1:${ports.ops}`,
    LOG_LEVEL: 'debug',
    NODE_DEBUG: 'undici',
    RATE_LIMIT_TEST: '100000',
    DRAIN_SECONDS: '0',
  })
  cleanups.push(() => server.kill('SIGKILL'))
  const [merchant, other] = tokens.map((token) => new Merchant(server.addresses.test, token)) as [
    Merchant,
    Merchant,
  ]
  let secret = ''
  const echo = await startEchoProvider(() => secret)
  cleanups.push(echo.stop)
  await runSimulatorFlow(merchant, receiver, canary)
  await runEchoFlow(other, echo, (providerSecret) => {
    secret = providerSecret
  })
  await waitAndReadLists([merchant, other])
  planted = [...plantedCards, ...merchant.planted, ...other.planted, ...masterKeys]

  const metrics = await (await fetch(`http://127.0.0.1:${ports.ops}/metrics`)).text()
  const line = server.lines.find((text) => text.includes('"route":"/payments"')) ?? '{}'
  expect(await server.kill('SIGTERM')).toBe(0)
  await collectDatabase(dataDir, postgres.url)

  const responses = [merchant, other].flatMap((client) =>
    client.responses.map(({ status, text }) => `${status} ${text}`),
  )
  const errors = responses.filter((response) => response >= '4')
  collect('responses', responses.join('\n'), canary)
  collect('errors', errors.join('\n'), 'invalid_request')
  collect('webhooks', receiver.requests.map((request) => JSON.stringify(request)).join('\n'), canary)
  collect('standard output', server.lines.join('\n'), JSON.parse(line).request_id)
  collect('standard error', server.errors.join(''), '/operations/')
  collect('metrics', metrics, 'payments.create')
  collect('files of NATS', readFiles(storeDir), 'payment')
}, 180_000)

/** Makes PostgreSQL log every statement with its values, and write complete pages to the write-ahead log. */
const verboseSettings = {
  fsync: 'off',
  full_page_writes: 'on',
  wal_compression: 'off',
  wal_level: 'logical',
  wal_keep_size: '2GB',
  log_statement: 'all',
  log_error_verbosity: 'verbose',
  log_min_messages: 'info',
}

const masterKeys: readonly PlantedSecret[] = testMasterKeys
  .split(',')
  .map((entry) => ({ name: 'master key', text: entry.slice(entry.indexOf(':') + 1) }))

async function createToken(databaseUrl: string): Promise<string> {
  const environment = {
    DATABASE_URL: databaseUrl,
    MASTER_KEYS: testMasterKeys,
    LOG_LEVEL: 'error',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // With a simulator, a workspace is created with accounts.
    SIMULATOR_URL: simulator.url,
  }
  const switchyard = compose(readConfig(environment))
  const organizationId = idFromUuid('organization', 'test', '0190a5c0-0000-7000-8000-000000000000')
  const { token } = await setUpWorkspace(switchyard.deps, { organizationId, mode: 'test', name: 'Planted' })
  await switchyard.close()
  return token
}

/** Waits until no payment is in progress, and collects the events and the request log. */
async function waitAndReadLists(merchants: readonly Merchant[]): Promise<void> {
  const listOpenPayments = async () => {
    const lists = await Promise.all(merchants.map((merchant) => merchant.get('/payments?limit=100')))
    return lists
      .flatMap(({ data }) => data)
      .filter((payment) => payment.status === 'processing' && payment.review === null)
  }
  await vi.waitUntil(async () => (await listOpenPayments()).length === 0, { timeout: 60_000, interval: 500 })
  for (const [name, path] of [
    ['events', '/events'],
    ['request log', '/requests'],
  ] as const) {
    const pages = await Promise.all(merchants.map((merchant) => readAllPages(merchant, path)))
    collect(name, pages.flat().join('\n'), name === 'events' ? canary : 'payments.create')
  }
}

async function readAllPages(merchant: Merchant, path: string): Promise<string[]> {
  const rows: string[] = []
  for (let after = ''; ; ) {
    const { data, has_more } = await merchant.get(`${path}?limit=100${after}`)
    rows.push(...data.map((row: object) => JSON.stringify(row)))
    if (!has_more) return rows
    after = `&starting_after=${data.at(-1).id}`
  }
}

/** Collects the tables, files and logs of the database. COPY replaces `pg_dump`, which is not installed. */
async function collectDatabase(dataDir: string, url: string): Promise<void> {
  const dumpFolder = join(dataDir, 'dumped')
  mkdirSync(dumpFolder, { mode: 0o777 })
  await asOwner(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname in ('public', 'control', 'vault')`,
    )
    expect(rows.length).toBeGreaterThan(30)
    for (const { name } of rows)
      await client.query(`copy (select * from ${name}) to '${join(dumpFolder, name.replaceAll('"', ''))}'`)
    await client.query('checkpoint')
    await client.query('select pg_switch_wal()')
  })
  collect('dump', readFiles(dumpFolder), canary)
  collect('write-ahead log', readFiles(join(dataDir, 'pg_wal')), canary)
  collect('files of the tables', readFiles(join(dataDir, 'base')), canary)
  collect('log of the database', readFileSync(join(dataDir, 'postgres.log')), canary)
}

/** The content of all files in a folder and its subfolders. */
function readFiles(directory: string): Buffer {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(directory, name),
  )
  return Buffer.concat(paths.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path)))
}

const sources = [
  'responses',
  'errors',
  'events',
  'request log',
  'webhooks',
  'standard output',
  'standard error',
  'metrics',
  'dump',
  'write-ahead log',
  'files of the tables',
  'log of the database',
  'files of NATS',
]

describe.each(sources)('%s', (source) => {
  const bytes = () => contents.get(source) ?? Buffer.alloc(0)

  test('contains the known text, which proves that the search works', () => {
    const text = knownTexts.get(source) ?? 'nothing'
    expect(findIn(bytes(), [{ name: 'known text', text }])).toContain('known text as plain text')
  })

  test('contains no card number, no CVC and no secret', () => {
    expect(planted.length).toBeGreaterThan(20)
    expect(findIn(bytes(), planted)).toEqual([])
  })
})

test('the flows had successes, declines, rejections, unknown outcomes and errors', () => {
  const events = contents.get('events')?.toString() ?? ''
  for (const type of ['payment.succeeded', 'payment.failed', 'payment.requires_action', 'refund.succeeded'])
    expect(events).toContain(type)
  const errors = contents.get('errors')?.toString() ?? ''
  for (const status of ['400', '401', '402', '404', '422'])
    expect(errors).toMatch(new RegExp(`^${status} `, 'm'))
  expect(planted.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['webhook secret', 'provider secret']),
  )
})

test.each(['4000000050040007', '378282246310005', 'psec_9aF1kd03', '7359'])(
  'the search finds %s in every encoding, between other bytes',
  (text) => {
    const forms = formsOf(text)
    expect(forms.length).toBeGreaterThan(5)
    for (const [form, pattern] of forms) {
      const noise = Buffer.from(`noise ${'\u0001'}`)
      const bytes = Buffer.concat([noise, pattern, noise])
      expect(findIn(bytes, [{ name: 'secret', text }])).toContain(`secret as ${form}`)
    }
    const inJson = Buffer.from(`{"echo":"x${text}y","cvc":"${text}"}`)
    for (const offset of [0, 1, 2])
      if (text.length > 4)
        expect(
          findIn(Buffer.from(inJson.subarray(offset).toString('base64')), [{ name: 'secret', text }]),
        ).not.toEqual([])
  },
)

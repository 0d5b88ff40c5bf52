// Numbers, codes and secrets are planted by a whole day of payments on a cluster of its own. Then everything is
// searched that outlives a request: what the process said, what its callers were told, the database as a dump, as
// files and as its write-ahead log, its own log at its most talkative, and the files of the engine.

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
import { makeWorkspace } from '../../src/setup.ts'
import { testMasterKeys } from '../support/master-keys.ts'
import { receiverForThisFile } from '../support/receiver.ts'
import { startServer } from '../support/server-process.ts'
import { simulatorForThisFile } from '../support/simulator.ts'
import { startEcho } from './support/echoing-provider.ts'
import { cardsPlayed, dayAtEcho, dayAtSimulator, Merchant } from './support/planted-flow.ts'
import { findIn, formsOf, type Planted } from './support/scanner.ts'

const canary = 'canary-7d1f0c52e8'
const simulator = await simulatorForThisFile()
const receiver = await receiverForThisFile()

/** What was planted, and everything that was found of the day afterwards, by place. */
let planted: readonly Planted[] = []
const places = new Map<string, Buffer>()
/** A text that is known to be in the place: a search that does not find it finds nothing. */
const known = new Map<string, string>()

function keep(place: string, bytes: Buffer | string, holds: string): void {
  places.set(place, Buffer.from(bytes))
  known.set(place, holds)
}

const folder = mkdtempSync(join(tmpdir(), 'switchyard-test-planted-'))
const clearings: (() => unknown)[] = []
afterAll(async () => {
  for (const clear of clearings.toReversed()) await clear()
  rmSync(folder, { recursive: true, force: true })
})

beforeAll(async () => {
  const dataDir = join(folder, 'postgres')
  const storeDir = join(folder, 'nats')
  const postgres = await startPostgres({ dataDir, settings: talkative })
  clearings.push(() => postgres.stop('immediate'))
  const nats = await startNats({ storeDir })
  clearings.push(() => nats.stop())
  await migrate(postgres.url)
  const tokens = [await newToken(postgres.url), await newToken(postgres.url)]
  // From here on every page that is touched goes into the log as a whole.
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
  clearings.push(() => server.kill('SIGKILL'))
  const [merchant, other] = tokens.map((token) => new Merchant(server.addresses.test, token)) as [
    Merchant,
    Merchant,
  ]
  let secret = ''
  const echo = await startEcho(() => secret)
  clearings.push(echo.stop)
  await dayAtSimulator(merchant, receiver, canary)
  await dayAtEcho(other, echo, (shown) => {
    secret = shown
  })
  await restOfTheDay([merchant, other])
  planted = [...cardsPlayed, ...merchant.planted, ...other.planted, ...masterKeys]

  const metrics = await (await fetch(`http://127.0.0.1:${ports.ops}/metrics`)).text()
  const line = server.lines.find((text) => text.includes('"route":"/payments"')) ?? '{}'
  expect(await server.kill('SIGTERM')).toBe(0)
  await look(dataDir, postgres.url)

  const answers = [merchant, other].flatMap(({ answers }) =>
    answers.map(({ status, text }) => `${status} ${text}`),
  )
  const errors = answers.filter((answer) => answer >= '4')
  keep('answers', answers.join('\n'), canary)
  keep('errors', errors.join('\n'), 'invalid_request')
  keep('webhooks', receiver.requests.map((request) => JSON.stringify(request)).join('\n'), canary)
  keep('standard output', server.lines.join('\n'), JSON.parse(line).request_id)
  keep('standard error', server.errors.join(''), '/operations/')
  keep('metrics', metrics, 'payments.create')
  keep('files of the engine', contentOf(storeDir), 'payment')
}, 180_000)

/** Of Postgres: every statement with its values, and every page as a whole. */
const talkative = {
  ...{ fsync: 'off', full_page_writes: 'on', wal_compression: 'off', wal_level: 'logical' },
  ...{ wal_keep_size: '2GB', log_statement: 'all', log_error_verbosity: 'verbose', log_min_messages: 'info' },
}

const masterKeys: readonly Planted[] = testMasterKeys
  .split(',')
  .map((entry) => ({ name: 'master key', text: entry.slice(entry.indexOf(':') + 1) }))

async function newToken(databaseUrl: string): Promise<string> {
  const environment = {
    ...{ DATABASE_URL: databaseUrl, MASTER_KEYS: testMasterKeys, LOG_LEVEL: 'error' },
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    // With one, a workspace is born with accounts.
    SIMULATOR_URL: simulator.url,
  }
  const switchyard = compose(readConfig(environment))
  const organizationId = idFromUuid('organization', 'test', '0190a5c0-0000-7000-8000-000000000000')
  const { token } = await makeWorkspace(switchyard.deps, { organizationId, mode: 'test', name: 'Planted' })
  await switchyard.close()
  return token
}

/** Until nothing is open any more; then what a workspace can read of itself. */
async function restOfTheDay(merchants: readonly Merchant[]): Promise<void> {
  const open = async () => {
    const lists = await Promise.all(merchants.map((one) => one.get('/payments?limit=100')))
    return lists
      .flatMap(({ data }) => data)
      .filter((one) => one.status === 'processing' && one.review === null)
  }
  await vi.waitUntil(async () => (await open()).length === 0, { timeout: 60_000, interval: 500 })
  for (const [name, path] of [
    ['events', '/events'],
    ['log of calls', '/requests'],
  ] as const) {
    const pages = await Promise.all(merchants.map((one) => allOf(one, path)))
    keep(name, pages.flat().join('\n'), name === 'events' ? canary : 'payments.create')
  }
}

async function allOf(merchant: Merchant, path: string): Promise<string[]> {
  const found: string[] = []
  for (let after = ''; ; ) {
    const { data, has_more } = await merchant.get(`${path}?limit=100${after}`)
    found.push(...data.map((row: object) => JSON.stringify(row)))
    if (!has_more) return found
    after = `&starting_after=${data.at(-1).id}`
  }
}

/** The packaged Postgres has no `pg_dump`: COPY of every table is what one would hold. */
async function look(dataDir: string, url: string): Promise<void> {
  const dumped = join(dataDir, 'dumped')
  mkdirSync(dumped, { mode: 0o777 })
  await asOwner(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname in ('public', 'control', 'vault')`,
    )
    expect(rows.length).toBeGreaterThan(30)
    for (const { name } of rows)
      await client.query(`copy (select * from ${name}) to '${join(dumped, name.replaceAll('"', ''))}'`)
    await client.query('checkpoint')
    await client.query('select pg_switch_wal()')
  })
  keep('dump', contentOf(dumped), canary)
  keep('write-ahead log', contentOf(join(dataDir, 'pg_wal')), canary)
  keep('files of the tables', contentOf(join(dataDir, 'base')), canary)
  keep('log of the database', readFileSync(join(dataDir, 'postgres.log')), canary)
}

/** All files below, one after the other. */
function contentOf(directory: string): Buffer {
  const paths = readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(directory, name),
  )
  return Buffer.concat(paths.filter((path) => statSync(path).isFile()).map((path) => readFileSync(path)))
}

const everywhere = [
  ...[
    'answers',
    'errors',
    'events',
    'log of calls',
    'webhooks',
    'standard output',
    'standard error',
    'metrics',
  ],
  ...['dump', 'write-ahead log', 'files of the tables', 'log of the database', 'files of the engine'],
]

describe.each(everywhere)('%s', (place) => {
  const bytes = () => places.get(place) ?? Buffer.alloc(0)

  test('hold what belongs there, so the search does find', () => {
    const text = known.get(place) ?? 'nothing'
    expect(findIn(bytes(), [{ name: 'what is known', text }])).toContain('what is known as plain text')
  })

  test('hold no number, no code and no secret', () => {
    expect(planted.length).toBeGreaterThan(20)
    expect(findIn(bytes(), planted)).toEqual([])
  })
})

test('the day saw successes, declines, refusals, unknown outcomes and mistakes', () => {
  const seen = places.get('events')?.toString() ?? ''
  for (const type of ['payment.succeeded', 'payment.failed', 'payment.requires_action', 'refund.succeeded'])
    expect(seen).toContain(type)
  const errors = places.get('errors')?.toString() ?? ''
  for (const status of ['400', '401', '402', '404', '422'])
    expect(errors).toMatch(new RegExp(`^${status} `, 'm'))
  expect(planted.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['webhook secret', 'provider secret']),
  )
})

test.each(['4000000050040007', '378282246310005', 'psec_9aF1kd03', '7359'])(
  '%s is found in every form that it may lie in, in the middle of other bytes',
  (text) => {
    const forms = formsOf(text)
    expect(forms.length).toBeGreaterThan(5)
    for (const [form, pattern] of forms) {
      const around = Buffer.from(`noise ${'\u0001'}`)
      const bytes = Buffer.concat([around, pattern, around])
      expect(findIn(bytes, [{ name: 'it', text }])).toContain(`it as ${form}`)
    }
    const inJson = Buffer.from(`{"echo":"x${text}y","cvc":"${text}"}`)
    for (const cut of [0, 1, 2])
      if (text.length > 4)
        expect(
          findIn(Buffer.from(inJson.subarray(cut).toString('base64')), [{ name: 'it', text }]),
        ).not.toEqual([])
  },
)

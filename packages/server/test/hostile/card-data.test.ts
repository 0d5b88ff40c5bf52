// A number, a code and a name are planted in every way a page or a person could send them. Then everything is
// searched that outlives a request: logs, tables, the write-ahead log, files. The vault holds the number, sealed;
// the code is nowhere that is kept.

import { Writable } from 'node:stream'
import type { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { forgetSecurityCode, revealCard } from '../../src/domains/card-tokens/service.ts'
import { confirmation } from '../../src/domains/card-tokens/vault.ts'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { destroyOldCodeKeys } from '../../src/platform/db/code-keys.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { createLog } from '../../src/platform/log.ts'
import { tablesThatHold } from '../support/canary.ts'
import { newDatabase } from '../support/database.ts'
import { switchyardForThisFile, type Workspace } from '../support/switchyard.ts'

const lines: string[] = []
const collect = new Writable({
  write(chunk, _, done) {
    lines.push(String(chunk))
    done()
  },
})
const switchyard = await switchyardForThisFile({
  environment: { VAULT_LIVE: 'true' },
  overrides: { log: createLog('debug', collect) },
})

// A brand whose code has four digits: three would be met by chance.
const number = '371449635398431'
const spaced = '3714 496353 98431'
const code = '7359'
const name = 'Planted Cardholder'
const card = { number, exp_month: 12, exp_year: 2031, cvc: code, name }

const answers: string[] = []
const tokens: Id<'token'>[] = []
let live: Workspace
/** The names of the first and the last file of the write-ahead log that can tell of it. */
const wal = { from: '', to: '' }
/** As they lay in the vault, before anything was taken away. */
let sealed: { cards: Buffer[]; codes: Buffer[]; keys: Buffer[] }

const inDatabase = <T>(body: (client: Client) => Promise<T>) => asOwner(switchyard.databaseUrl, body)
const column = (client: Client, text: string): Promise<Buffer[]> =>
  client.query({ text, rowMode: 'array' }).then(({ rows }) => rows.map(([value]) => value))

beforeAll(async () => {
  live = await switchyard.newWorkspace('live')
  const [closed, test] = [await switchyard.newWorkspace('live'), await switchyard.newWorkspace('test')]
  await live.post('/vault/confirm', { confirmation })
  wal.from = await walFile()

  for (const workspace of [live, closed, test]) {
    const token = await workspace.tokenFor('publishable')
    for (const body of bodies()) await send(workspace, body, token)
  }
  await switchyard.flushRequestLog()
  wal.to = await walFile()
  sealed = await inDatabase(async (client) => ({
    cards: await column(client, 'select sealed from vault.cards'),
    codes: await column(client, 'select sealed from vault.security_codes'),
    keys: await column(client, allKeys),
  }))
})

async function walFile(): Promise<string> {
  const [name] = await inDatabase((client) =>
    column(client, 'select pg_walfile_name(pg_current_wal_insert_lsn())'),
  )
  return String(name)
}

const allKeys = [0, 1, 2].map((place) => `select key from vault.code_keys_${place}`).join(' union all ')

/** What is taken, and what is refused for one reason or another. */
function bodies(): object[] {
  return [
    ...[1, 2, 3].map(() => ({ type: 'card', card })),
    { type: 'card', card: { ...card, number: spaced } },
    { type: 'card', card: { ...card, number: Number(number) } },
    { type: 'card', card: { ...card, number: `${number}0` } },
    { type: 'card', card: { ...card, exp_month: Number(number), exp_year: Number(code) } },
    { type: 'card', card: { ...card, cvc: Number(code), number: code } },
    { type: 'card', card: { ...card, [number]: code, name: number, cvc: number } },
    { type: number, card: [number, code, name] },
    { type: 'provider_token', provider_token: { provider_account_id: number, token: number, card } },
    { type: 'provider_token', provider_token: { provider_account_id: 'x', token: spaced, card: shown } },
    { number, cvc: code, name },
  ]
}

const shown = { brand: 'amex', last4: '8431', exp_month: 12, exp_year: 2031 }

/** With a key and without. */
async function send({ post }: Workspace, body: object, token: string): Promise<void> {
  for (const headers of [{}, { 'idempotency-key': `press-${answers.length}` }]) {
    const answer = await post('/tokens', body, { token, headers: headers as Record<string, string> })
    if (answer.status === 201) tokens.push(answer.body.id)
    answers.push(JSON.stringify([answer.status, [...answer.headers], answer.body]))
  }
}

const holdsPlanted = (text: string) =>
  [number, spaced, name].some((planted) => text.includes(planted)) || /\b7359\b/.test(text)

test('some were taken, and some refused for each reason there is', () => {
  const codes = answers.map((answer) => /"code":"(\w+)"/.exec(answer)?.[1] ?? 'taken')

  expect(tokens.length).toBe(8)
  expect(new Set(codes.filter((met) => !['bad_format', 'wrong_type'].includes(met)))).toEqual(
    new Set(['taken', 'invalid_request', 'raw_cards_disabled', 'test_card_required']),
  )
})

test('no answer repeats them', () => {
  expect(answers.filter(holdsPlanted)).toEqual([])
})

test('no line of our log holds them', () => {
  expect(lines.length).toBeGreaterThanOrEqual(answers.length)
  expect(lines.filter(holdsPlanted)).toEqual([])
})

test('no table holds number or name, the vault included: there they are sealed', async () => {
  const url = switchyard.databaseUrl
  const inVault = await inDatabase(async (client) => {
    const { rows } = await client.query(
      `select row::text as text from vault.cards as row union all select row::text from vault.security_codes as row`,
    )
    return rows.map(({ text }) => String(text))
  })

  // The search does find what is there.
  expect(await tablesThatHold(url, '8431')).toContain('public.card_tokens')
  expect(await tablesThatHold(url, number, spaced, name)).toEqual([])
  expect(inVault.length).toBeGreaterThan(8)
  for (const planted of [number, spaced, name]) {
    const hex = Buffer.from(planted).toString('hex')
    expect(inVault.filter((text) => text.includes(planted) || text.includes(hex))).toEqual([])
  }
})

test('no text or document of any table holds the code', async () => {
  const found = await inDatabase(async (client) => {
    const { rows: columns } = await client.query(
      `select table_schema, table_name, column_name from information_schema.columns
       where table_schema in ('public', 'control', 'vault') and data_type in ('text', 'jsonb', 'ARRAY')`,
    )
    const hits: string[] = []
    for (const { table_schema, table_name, column_name } of columns) {
      const { rowCount } = await client.query(
        `select from ${table_schema}.${table_name} where ${column_name}::text ~ '\\m${code}\\M'`,
      )
      if (rowCount !== 0) hits.push(`${table_name}.${column_name}`)
    }
    return { hits, searched: columns.length }
  })

  expect(found.hits).toEqual([])
  expect(found.searched).toBeGreaterThan(40)
})

test('the calls that a workspace reads of itself show the type and no more', async () => {
  const { body } = await live.get('/requests?limit=100')
  const calls = body.data.filter(({ operation }: { operation: string }) => operation === 'tokens.create')

  expect(calls.length).toBeGreaterThan(20)
  expect(calls.at(-1)).toMatchObject({ request_body: '{"type":"card","card":"[redacted]"}' })
  expect(calls.filter((call: object) => holdsPlanted(JSON.stringify(call)))).toEqual([])
})

test('neither a code, nor its key, nor an open number is in the write-ahead log; sealed numbers are', async () => {
  const written = await inDatabase((client) =>
    column(
      client,
      `select pg_read_binary_file('pg_wal/' || name) from pg_ls_waldir()
       where name between '${wal.from}' and '${wal.to}' order by name`,
    ),
  )
  const log = Buffer.concat(written)

  // A record may be cut by the edge of a page: of each one either its beginning or its end is whole.
  const isIn = (bytes: Buffer) => log.includes(bytes.subarray(5, 21)) || log.includes(bytes.subarray(-16))
  expect(sealed.cards.length).toBe(8)
  expect(sealed.cards.filter(isIn)).toHaveLength(8)
  expect(sealed.codes.length).toBe(8)
  expect(sealed.codes.filter(isIn)).toEqual([])
  expect(sealed.keys.length).toBeGreaterThan(0)
  expect(sealed.keys.filter(isIn)).toEqual([])
  for (const planted of [number, spaced, name, `"${code}"`]) expect(log.includes(planted)).toBe(false)
})

test('the database writes nothing of them to its own log', async () => {
  const [log] = await inDatabase((client) => column(client, "select pg_read_binary_file('postgres.log')"))

  expect(log?.length).toBeGreaterThan(0)
  for (const planted of [number, spaced, name]) expect(log?.includes(planted)).toBe(false)
})

test('a forgotten code is in no row, and when its key is destroyed that is in no file', async () => {
  const owner = live.workspaceId as Id<'workspace'>
  const [first] = tokens
  const cardId = uuidOf(first as Id<'token'>)
  expect(await revealCard(switchyard.deps, owner, cardId)).toMatchObject({ number, cvc: code, name })
  expect(await filesWith(sealed.keys)).not.toEqual([])

  await forgetSecurityCode(switchyard.deps, owner, cardId)
  const left = await inDatabase((client) =>
    client.query('select from vault.security_codes where card_id = $1', [cardId]),
  )
  expect(left.rowCount).toBe(0)
  await inDatabase((client) =>
    destroyOldCodeKeys((text) => client.query(text), new Date(Date.now() + 2 * 60 * 60 * 1000)),
  )

  expect(await filesWith(sealed.keys)).toEqual([])
  // Those that were not forgotten can no longer be opened either.
  const rest = await Promise.all(tokens.map((id) => revealCard(switchyard.deps, owner, uuidOf(id))))
  expect(rest.map((opened) => opened?.cvc)).toEqual(tokens.map(() => null))
  expect(rest.map((opened) => opened?.number)).toEqual(tokens.map(() => number))
})

/** The files of this database that hold one of these, as the disk has them. */
async function filesWith(secrets: readonly Buffer[]): Promise<string[]> {
  // Making a database from another writes out all that waits in memory, also of tables that are not logged.
  await newDatabase()
  return inDatabase(async (client) => {
    const { rows } = await client.query(
      `select file from pg_database, pg_ls_dir('base/' || oid) as file, unnest($1::bytea[]) as secret
       where datname = current_database()
         and position(secret in pg_read_binary_file('base/' || oid || '/' || file, true)) > 0`,
      [secrets],
    )
    return rows.map(({ file }) => String(file))
  })
}

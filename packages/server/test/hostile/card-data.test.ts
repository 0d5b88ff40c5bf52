// Sends a card number, a CVC and a name in every way in which a client could send them, and then searches
// everything that is stored: logs, tables, the write-ahead log and files. The vault contains the encrypted
// number. No permanent storage contains the CVC.

import { Writable } from 'node:stream'
import type { Client } from 'pg'
import { beforeAll, expect, test } from 'vitest'
import { deleteCvc, revealCard } from '../../src/domains/payments/card-tokens/service.ts'
import { confirmation } from '../../src/domains/payments/card-tokens/vault.ts'
import { type Id, uuidOf } from '../../src/kernel/id.ts'
import { destroyOldCvcKeys } from '../../src/platform/db/cvc-keys.ts'
import { createLog } from '../../src/platform/log.ts'
import { newDatabase } from '../support/database.ts'
import { readLoggedBodies, tablesContaining } from '../support/database-search.ts'
import { asOwner } from '../support/owner.ts'
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

// A brand whose CVC has four digits, because three digits would also be found by chance.
const number = '371449635398431'
const spaced = '3714 496353 98431'
const code = '7359'
const name = 'Planted Cardholder'
const card = { number, exp_month: 12, exp_year: 2031, cvc: code, name }

const responses: string[] = []
const tokens: Id<'token'>[] = []
let live: Workspace
/** The first and the last file of the write-ahead log that can contain the card data. */
const wal = { from: '', to: '' }
/** The content of the vault before anything was deleted. */
let vaultContent: { cards: Buffer[]; codes: Buffer[]; keys: Buffer[] }

const withClient = <T>(action: (client: Client) => Promise<T>) => asOwner(switchyard.databaseUrl, action)
const readColumn = (client: Client, text: string): Promise<Buffer[]> =>
  client.query({ text, rowMode: 'array' }).then(({ rows }) => rows.map(([value]) => value))

beforeAll(async () => {
  live = await switchyard.newWorkspace('live')
  const [unconfirmed, test] = [await switchyard.newWorkspace('live'), await switchyard.newWorkspace('test')]
  await live.post('/vault/confirm', { confirmation })
  wal.from = await currentWalFile()

  for (const workspace of [live, unconfirmed, test]) {
    const token = await workspace.tokenFor('publishable')
    for (const body of createBodies()) await send(workspace, body, token)
  }
  await switchyard.flushRequestLog()
  wal.to = await currentWalFile()
  vaultContent = await withClient(async (client) => ({
    cards: await readColumn(client, 'select sealed from vault.cards'),
    codes: await readColumn(client, 'select sealed from vault.security_codes'),
    keys: await readColumn(client, allKeys),
  }))
})

async function currentWalFile(): Promise<string> {
  const [name] = await withClient((client) =>
    readColumn(client, 'select pg_walfile_name(pg_current_wal_insert_lsn())'),
  )
  return String(name)
}

const allKeys = [0, 1, 2].map((index) => `select key from vault.code_keys_${index}`).join(' union all ')

/** Bodies that are accepted, and bodies that are rejected for various reasons. */
function createBodies(): object[] {
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
    {
      type: 'provider_token',
      provider_token: { provider_account_id: 'x', token: spaced, card: displayedCard },
    },
    { number, cvc: code, name },
  ]
}

const displayedCard = { brand: 'amex', last4: '8431', exp_month: 12, exp_year: 2031 }

/** Sends the body without and with an idempotency key. */
async function send({ post }: Workspace, body: object, token: string): Promise<void> {
  for (const headers of [{}, { 'idempotency-key': `press-${responses.length}` }]) {
    const response = await post('/tokens', body, { token, headers: headers as Record<string, string> })
    if (response.status === 201) tokens.push(response.body.id)
    responses.push(JSON.stringify([response.status, [...response.headers], response.body]))
  }
}

const containsCardData = (text: string) =>
  [number, spaced, name].some((planted) => text.includes(planted)) || /\b7359\b/.test(text)

test('some requests were accepted, and some were rejected for each possible reason', () => {
  const codes = responses.map((response) => /"code":"(\w+)"/.exec(response)?.[1] ?? 'accepted')

  expect(tokens.length).toBe(8)
  expect(new Set(codes.filter((errorCode) => !['bad_format', 'wrong_type'].includes(errorCode)))).toEqual(
    new Set(['accepted', 'invalid_request', 'raw_cards_disabled', 'test_card_required']),
  )
})

test('no response contains card data', () => {
  expect(responses.filter(containsCardData)).toEqual([])
})

test('no line of the log contains card data', () => {
  expect(lines.length).toBeGreaterThanOrEqual(responses.length)
  expect(lines.filter(containsCardData)).toEqual([])
})

test('no table contains the number or the name in plaintext, not even the vault', async () => {
  const url = switchyard.databaseUrl
  const inVault = await withClient(async (client) => {
    const { rows } = await client.query(
      `select row::text as text from vault.cards as row union all select row::text from vault.security_codes as row`,
    )
    return rows.map(({ text }) => String(text))
  })

  // Prove that the search finds text that exists.
  expect(await tablesContaining(url, '8431')).toContain('public.card_tokens')
  expect(await tablesContaining(url, number, spaced, name)).toEqual([])
  expect(inVault.length).toBeGreaterThan(8)
  for (const planted of [number, spaced, name]) {
    const hex = Buffer.from(planted).toString('hex')
    expect(inVault.filter((text) => text.includes(planted) || text.includes(hex))).toEqual([])
  }
})

test('no text or JSON column of any table contains the CVC', async () => {
  const found = await withClient(async (client) => {
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
    return { hits, searched: columns.length, bodies: await readLoggedBodies(client) }
  })

  expect(found.hits).toEqual([])
  expect(found.bodies).toContain('{"type":"card","card":"[redacted]"}')
  expect(found.bodies).not.toMatch(new RegExp(`\\b${code}\\b`))
  expect(found.searched).toBeGreaterThan(40)
})

test('the request log of a workspace contains only the type of the card input', async () => {
  const { body } = await live.get('/requests?limit=100')
  const calls = body.data.filter(({ operation }: { operation: string }) => operation === 'tokens.create')

  expect(calls.length).toBeGreaterThan(20)
  expect(calls.at(-1)).toMatchObject({ request_body: '{"type":"card","card":"[redacted]"}' })
  expect(calls.filter((call: object) => containsCardData(JSON.stringify(call)))).toEqual([])
})

test('the write-ahead log contains encrypted numbers, but no CVC, no key of a CVC and no plaintext number', async () => {
  const segments = await withClient((client) =>
    readColumn(
      client,
      `select pg_read_binary_file('pg_wal/' || name) from pg_ls_waldir()
       where name between '${wal.from}' and '${wal.to}' order by name`,
    ),
  )
  const log = Buffer.concat(segments)

  // A page boundary may split a record, so search for its start and its end.
  const isInLog = (bytes: Buffer) => log.includes(bytes.subarray(5, 21)) || log.includes(bytes.subarray(-16))
  expect(vaultContent.cards.length).toBe(8)
  expect(vaultContent.cards.filter(isInLog)).toHaveLength(8)
  expect(vaultContent.codes.length).toBe(8)
  expect(vaultContent.codes.filter(isInLog)).toEqual([])
  expect(vaultContent.keys.length).toBeGreaterThan(0)
  expect(vaultContent.keys.filter(isInLog)).toEqual([])
  for (const planted of [number, spaced, name, `"${code}"`]) expect(log.includes(planted)).toBe(false)
})

test('the log of PostgreSQL contains no card data', async () => {
  const [log] = await withClient((client) => readColumn(client, "select pg_read_binary_file('postgres.log')"))

  expect(log?.length).toBeGreaterThan(0)
  for (const planted of [number, spaced, name]) expect(log?.includes(planted)).toBe(false)
})

test('a deleted CVC is in no row, and its destroyed key is in no file', async () => {
  const workspaceId = live.workspaceId as Id<'workspace'>
  const [first] = tokens
  const cardId = uuidOf(first as Id<'token'>)
  expect(await revealCard(switchyard.deps, workspaceId, cardId)).toMatchObject({ number, cvc: code, name })
  expect(await findFilesContaining(vaultContent.keys)).not.toEqual([])

  await deleteCvc(switchyard.deps, workspaceId, cardId)
  const remaining = await withClient((client) =>
    client.query('select from vault.security_codes where card_id = $1', [cardId]),
  )
  expect(remaining.rowCount).toBe(0)
  await withClient((client) =>
    destroyOldCvcKeys((text) => client.query(text), new Date(Date.now() + 2 * 60 * 60 * 1000)),
  )

  expect(await findFilesContaining(vaultContent.keys)).toEqual([])
  // CVCs that were not deleted can no longer be decrypted either.
  const cards = await Promise.all(tokens.map((id) => revealCard(switchyard.deps, workspaceId, uuidOf(id))))
  expect(cards.map((revealed) => revealed?.cvc)).toEqual(tokens.map(() => null))
  expect(cards.map((revealed) => revealed?.number)).toEqual(tokens.map(() => number))
})

/** The files of this database on disk that contain one of the secrets. */
async function findFilesContaining(secrets: readonly Buffer[]): Promise<string[]> {
  // Creating a database from a template flushes all buffers, including those of unlogged tables.
  await newDatabase()
  return withClient(async (client) => {
    const { rows } = await client.query(
      `select file from pg_database, pg_ls_dir('base/' || oid) as file, unnest($1::bytea[]) as secret
       where datname = current_database()
         and position(secret in pg_read_binary_file('base/' || oid || '/' || file, true)) > 0`,
      [secrets],
    )
    return rows.map(({ file }) => String(file))
  })
}

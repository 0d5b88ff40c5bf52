// The commands of the server image, run as an operator runs them.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { expect, test, vi } from 'vitest'
import { readConfig } from '../src/config.ts'
import { type Id, idFromUuid, uuidOf } from '../src/kernel/id.ts'
import { asOwner } from '../src/platform/db/owner.ts'
import { createKeyring } from '../src/platform/sealed-box/keyring.ts'
import { newDatabase } from './support/database.ts'
import { inheritedEnvironment } from './support/inherited-environment.ts'
import { testMasterKeys } from './support/master-keys.ts'
import { programPath } from './support/program-path.ts'
import { startServer } from './support/server-process.ts'

// Each step is a process of its own, and starting one takes a while on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const main = programPath('server')

function run(
  args: string[],
  environment: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [main, ...args],
      { env: { ...inheritedEnvironment, MASTER_KEYS: testMasterKeys, ...environment } },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })
}

test('doctor lists passed checks, and problems with their remedies, and exits with 1 if a check fails', async () => {
  const DATABASE_URL = await newDatabase()
  const environment = {
    DATABASE_URL,
    LIVE_BASE_URL: 'https://api.example.com',
    TEST_BASE_URL: 'https://test.example.com',
  }

  const sameAddress = { ...environment, TEST_BASE_URL: 'https://api.example.com' }
  const [passing, failing, failingJson] = await Promise.all([
    run(['doctor'], environment),
    run(['doctor'], sameAddress),
    run(['doctor', '--json'], sameAddress),
  ])

  expect(passing).toMatchObject({ code: 0, out: expect.stringMatching(/^ok {4}Database: PostgreSQL 18/m) })
  // Problems come first, each with its remedy on the next line.
  expect(passing.out).toMatch(
    /^warn {2}WAL archive: .* off.*\n {6}Set up the WAL archive .*\nwarn {2}NATS: NATS_URL is not set.*\n {6}Set NATS_URL/,
  )
  expect(failing.out).toMatch(
    /^fail {2}Addresses: .*the same address.*\n {6}Set LIVE_BASE_URL and TEST_BASE_URL/,
  )
  expect([failing.code, failingJson.code]).toEqual([1, 1])
  expect(JSON.parse(failingJson.out)).toMatchObject({
    status: 'fail',
    checks: expect.arrayContaining([expect.objectContaining({ id: 'addresses', status: 'fail' })]),
  })
})

test('config needs no database, masks secrets, and exits with 1 if a value is invalid', async () => {
  const DATABASE_URL = 'postgres://me:hunter2@127.0.0.1:1/switchyard'

  const [passing, failing] = await Promise.all([
    run(['config'], { DATABASE_URL, LOGLEVEL: 'debug' }),
    run(['config', '--json'], { DATABASE_URL, LOG_LEVEL: 'loud' }),
  ])

  expect(passing.code).toBe(0)
  expect(passing.out).toMatch(
    /^warn {2}LOGLEVEL is set, but is not a known setting\. Did you mean LOG_LEVEL\?$/m,
  )
  expect(passing.out).toMatch(
    /^DATABASE_URL +postgres:\/\/me:\*{3}@127\.0\.0\.1:1\/switchyard {2}\(environment\)$/m,
  )
  expect(failing.code).toBe(1)
  expect(JSON.parse(failing.out).faults).toEqual([expect.stringMatching(/^LOG_LEVEL is "loud"/)])
  expect(passing.out + failing.out).not.toMatch(/hunter2/)
})

test('sign-in-link prints a link to the dashboard for a known person, and fails for an unknown one', async () => {
  const DATABASE_URL = await newDatabase()
  const DASHBOARD_BASE_URL = 'https://dashboard.example.com'
  await run(['setup', '--email', 'ada@example.com'], { DATABASE_URL })
  const createLink = (...args: string[]) =>
    run(['sign-in-link', ...args], { DATABASE_URL, DASHBOARD_BASE_URL })

  const [known, unknown, withoutEmail] = [
    await createLink('--email', 'Ada@example.com'),
    await createLink('--email', 'eve@example.com'),
    await createLink(),
  ]

  expect(known.out).toMatch(/^https:\/\/dashboard\.example\.com\/sign-in#link=[\w-]{43}\n$/)
  expect([known.code, unknown.code, withoutEmail.code]).toEqual([0, 1, 1])
})

test('a dashboard address other than localhost must use https', async () => {
  const DATABASE_URL = await newDatabase()
  const DASHBOARD_BASE_URL = 'http://dashboard.example.com'

  expect(await run(['setup', '--email', 'a@b.example'], { DATABASE_URL, DASHBOARD_BASE_URL })).toMatchObject({
    code: 1,
    err: expect.stringContaining('It must begin with https://'),
  })
})

test('setup creates an organization, an ADMIN and tokens only once; the password is random and stored as a hash', async () => {
  const DATABASE_URL = await newDatabase()

  const first = await run(['setup', '--email', 'Ada@Example.com'], { DATABASE_URL })
  const second = await run(['setup', '--email', 'eve@example.com'], { DATABASE_URL })

  const created = JSON.parse(first.out)
  expect(created).toMatchObject({
    email: 'Ada@Example.com',
    password: expect.stringMatching(/^[A-Za-z0-9]{24}$/),
    signInUrl: expect.stringMatching(/^http:\/\/localhost:8083\/sign-in#link=[\w-]{43}$/),
  })
  expect(second.out).toContain('nothing was changed')
  const { rows } = await asOwner(DATABASE_URL, (client) =>
    client.query('select email, role, password_hash from control.people'),
  )
  expect(rows).toEqual([
    {
      email: 'ada@example.com',
      role: 'ADMIN',
      password_hash: expect.stringMatching(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/),
    },
  ])

  const server = await startServer('all', { DATABASE_URL })
  const tokens = { live: created.tokens.live, test: created.tokens.test }
  for (const mode of ['live', 'test'] as const) {
    const response = await fetch(`${server.addresses[mode]}/people`, {
      headers: { authorization: `Bearer ${tokens[mode]}` },
    })
    expect(await response.json()).toMatchObject({ data: [{ email: 'ada@example.com', role: 'ADMIN' }] })
  }
  expect(await server.kill('SIGTERM')).toBe(0)
})

test('an unreachable NATS server is logged once, with its address and the reason but without a stack trace', async () => {
  const DATABASE_URL = await newDatabase()
  const server = await startServer('api', { DATABASE_URL, NATS_URL: 'nats://ada:hunter2@127.0.0.1:1' })
  await server.kill('SIGTERM')

  const lines = server.lines.map((line) => JSON.parse(line)).filter(({ message }) => /^NATS/.test(message))
  const [first, ...others] = lines.filter(({ message }) => message.startsWith('NATS cannot be reached'))
  expect(first).toMatchObject({ address: '127.0.0.1:1', message: expect.stringMatching(/refused/i) })
  expect(others).toEqual([])
  expect(JSON.stringify(lines)).not.toMatch(/stack|hunter2/)
})

test('migrate --plan lists the migrations that migrate then applies, and nothing is pending afterwards', async () => {
  const DATABASE_URL = await newDatabase()
  await asOwner(DATABASE_URL, (client) =>
    client.query('drop schema public, control, vault cascade; create schema public'),
  )

  const plan = await run(['migrate', '--plan'], { DATABASE_URL })
  const applied = await run(['migrate'], { DATABASE_URL })
  const again = await run(['migrate', '--plan'], { DATABASE_URL })

  expect(plan.out).toContain('Would apply 0001_')
  expect(applied.out).toBe(plan.out.replaceAll('Would apply', 'Applied'))
  expect(again.out).toBe('Nothing to do: all migrations are applied.\n')
})

test('verify-audit reports an entry that was edited', async () => {
  const DATABASE_URL = await newDatabase()
  await run(['setup', '--email', 'ada@example.com'], { DATABASE_URL })

  expect(await run(['verify-audit'], { DATABASE_URL })).toMatchObject({
    code: 0,
    out: expect.stringContaining('2 workspaces, 0 with an invalid audit log.\n'),
  })
  await asOwner(DATABASE_URL, (client) =>
    client.query("update audit_entries set entry = replace(entry, 'ADMIN', 'READ_ONLY')"),
  )

  const verification = await run(['verify-audit'], { DATABASE_URL })
  expect(verification.code).toBe(1)
  expect(verification.out).toContain('INVALID at entry')
})

test('verify-ledger reports an amount without postings', async () => {
  const DATABASE_URL = await newDatabase()
  await run(['setup', '--email', 'ada@example.com'], { DATABASE_URL })

  expect(await run(['verify-ledger'], { DATABASE_URL })).toMatchObject({
    code: 0,
    out: 'Workspaces: 2. Differences: 0.\n',
  })
  // Without triggers, as if the database had been edited.
  await asOwner(DATABASE_URL, (client) =>
    client.query(`set session_replication_role = replica; insert into credit_balances
      (workspace_id, id, customer_id, currency, balance, created_at, updated_at)
      select workspace_id, workspace_id, workspace_id, 'eur', 500, now(), now() from workspaces where mode = 'test'`),
  )

  const verification = await run(['verify-ledger'], { DATABASE_URL })
  expect(verification.code).toBe(1)
  expect(verification.out).toContain(': balance is 500, but its postings add up to 0.\n')
  expect(verification.out).toContain('Workspaces: 2. Differences: 1.\n')
})

test('parked work is listed with its reason and can be released', async () => {
  const DATABASE_URL = await newDatabase()
  const { tokens } = JSON.parse((await run(['setup', '--email', 'ada@example.com'], { DATABASE_URL })).out)
  expect(tokens.test).toMatch(/^sk_test_/)
  const workspace = 'workspace_test_01M7CYVGQTEAKSNTBFR026MPQ1' as Id<'workspace'>
  const token = 'api_token_test_01M7CYVGQTEAKSNTBFR026MPQ2' as Id<'api_token'>
  await asOwner(DATABASE_URL, async (client) => {
    await client.query('update workspaces set workspace_id = $1 where mode = $2', [uuidOf(workspace), 'test'])
    await client.query(
      `insert into work_failures values ($1, 'api_token.expire', $2, 10, 'it broke', now(), now())`,
      [uuidOf(workspace), uuidOf(token)],
    )
  })

  const listed = await run(['parked'], { DATABASE_URL })
  expect(listed.out).toContain(`api_token.expire ${workspace} ${token} failed 10 times: it broke`)
  expect(
    (await run(['parked', 'release', 'api_token.expire', workspace, token], { DATABASE_URL })).code,
  ).toBe(0)
  expect((await run(['parked'], { DATABASE_URL })).out).toBe('No work is parked.\n')
  expect((await run(['parked', 'release', 'no.such', workspace, token], { DATABASE_URL })).err).toContain(
    'There is no work type "no.such"',
  )
})

test('keys rotate encrypts all keys with the first master key, and reports when the older one can be removed', async () => {
  const DATABASE_URL = await newDatabase()
  await run(['setup', '--email', 'ada@example.com'], { DATABASE_URL })
  const { masterKeys } = readConfig({ DATABASE_URL, MASTER_KEYS: testMasterKeys })
  await asOwner(DATABASE_URL, async (client) => {
    const { rows } = await client.query('select workspace_id, mode from workspaces')
    for (const { workspace_id, mode } of rows) {
      const key = createKeyring(masterKeys).newKey(idFromUuid('workspace', mode, workspace_id), 1)
      await client.query('insert into workspace_keys values ($1, 1, $2, $3, now())', [
        workspace_id,
        key.masterKeyId,
        key.wrapped,
      ])
    }
  })
  const newer = `newer:${randomBytes(32).toString('base64')}`

  const withoutOlder = await run(['keys', 'rotate'], { DATABASE_URL, MASTER_KEYS: newer })
  expect(withoutOlder.code).toBe(1)
  expect(withoutOlder.out).toContain(
    'is encrypted with the master key "test", which is not in MASTER_KEYS. Add it',
  )
  expect(withoutOlder.out).toContain('2 keys are still encrypted with a master key other than "newer".')

  const rotated = await run(['keys', 'rotate'], { DATABASE_URL, MASTER_KEYS: `${newer},${testMasterKeys}` })
  expect(rotated).toMatchObject({ code: 0, err: '' })
  expect(rotated.out).toContain(
    '2 of 2 workspaces\nEvery key is encrypted with the master key "newer".\nYou can remove test',
  )

  const again = await run(['keys', 'rotate'], { DATABASE_URL, MASTER_KEYS: newer })
  expect(again).toEqual({ code: 0, out: 'Every key is encrypted with the master key "newer".\n', err: '' })
})

test('a configuration error is reported in one sentence, without a stack trace', async () => {
  const { code, err } = await run(['api'])
  const keyless = await run(['api'], { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none', MASTER_KEYS: '' })

  expect(code).toBe(1)
  expect(err).toBe(
    'DATABASE_URL is not set. Example: DATABASE_URL=postgres://user:password@host:5432/switchyard\n',
  )
  expect(keyless.err).toBe(
    'MASTER_KEYS is not set. Example: MASTER_KEYS=2026-11:$(openssl rand -base64 32)\n',
  )
})

test('an unknown command prints the usage', async () => {
  const { code, out } = await run(['dance'])

  expect(code).toBe(2)
  expect(out).toContain('Usage: npm run server -- <command>')
})

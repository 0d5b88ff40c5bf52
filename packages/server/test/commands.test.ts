// The commands of the image, as an operator types them.

import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { expect, test, vi } from 'vitest'
import { readConfig } from '../src/config.ts'
import { type Id, idFromUuid, uuidOf } from '../src/kernel/id.ts'
import { asOwner } from '../src/platform/db/owner.ts'
import { createKeyring } from '../src/platform/sealed-box/keyring.ts'
import { newDatabase } from './support/database.ts'
import { inherited } from './support/inherited.ts'
import { testMasterKeys } from './support/master-keys.ts'
import { startServer } from './support/server-process.ts'

// Each step is a process of its own, and starting one takes a while on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

const main = resolve(import.meta.dirname, '../src/main.ts')

function run(
  args: string[],
  environment: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((done) => {
    execFile(
      process.execPath,
      [main, ...args],
      { env: { ...inherited, MASTER_KEYS: testMasterKeys, ...environment } },
      (error, out, err) => done({ code: error === null ? 0 : Number(error.code), out, err }),
    )
  })
}

test('doctor says what is well and what to do about the rest, and exits with 1 if something fails', async () => {
  const DATABASE_URL = await newDatabase()
  const environment = {
    DATABASE_URL,
    LIVE_BASE_URL: 'https://api.example.com',
    TEST_BASE_URL: 'https://test.example.com',
  }

  const sameAddress = { ...environment, TEST_BASE_URL: 'https://api.example.com' }
  const [well, unwell, forPrograms] = await Promise.all([
    run(['doctor'], environment),
    run(['doctor'], sameAddress),
    run(['doctor', '--json'], sameAddress),
  ])

  expect(well).toMatchObject({ code: 0, out: expect.stringMatching(/^ok {4}Database: PostgreSQL 18/m) })
  // What is wrong comes first, and what to do about it stands under it.
  expect(well.out).toMatch(/^warn {2}NATS: NATS_URL is not set.*\n {6}Set NATS_URL/)
  expect(unwell.out).toMatch(/^fail {2}Addresses: .*one address.*\n {6}Set LIVE_BASE_URL and TEST_BASE_URL/)
  expect([unwell.code, forPrograms.code]).toEqual([1, 1])
  expect(JSON.parse(forPrograms.out)).toMatchObject({
    status: 'fail',
    checks: expect.arrayContaining([expect.objectContaining({ id: 'addresses', status: 'fail' })]),
  })
})

test('config needs no database, masks secrets, and exits with 1 if a value does not fit', async () => {
  const DATABASE_URL = 'postgres://me:hunter2@127.0.0.1:1/switchyard'

  const [well, unwell] = await Promise.all([
    run(['config'], { DATABASE_URL, LOGLEVEL: 'debug' }),
    run(['config', '--json'], { DATABASE_URL, LOG_LEVEL: 'loud' }),
  ])

  expect(well.code).toBe(0)
  expect(well.out).toMatch(/^warn {2}LOGLEVEL is set, and nobody reads it\. Was LOG_LEVEL meant\?$/m)
  expect(well.out).toMatch(
    /^DATABASE_URL +postgres:\/\/me:\*{3}@127\.0\.0\.1:1\/switchyard {2}\(environment\)$/m,
  )
  expect(unwell.code).toBe(1)
  expect(JSON.parse(unwell.out).faults).toEqual([expect.stringMatching(/^LOG_LEVEL is "loud"/)])
  expect(well.out + unwell.out).not.toMatch(/hunter2/)
})

test('sign-in-link makes a link for somebody who is here, at the address of the dashboard', async () => {
  const DATABASE_URL = await newDatabase()
  const DASHBOARD_BASE_URL = 'https://dashboard.example.com'
  await run(['setup', '--email', 'ada@example.com'], { DATABASE_URL })
  const linkFor = (...words: string[]) =>
    run(['sign-in-link', ...words], { DATABASE_URL, DASHBOARD_BASE_URL })

  const [known, unknown, nobody] = [
    await linkFor('--email', 'Ada@example.com'),
    await linkFor('--email', 'eve@example.com'),
    await linkFor(),
  ]

  expect(known.out).toMatch(/^https:\/\/dashboard\.example\.com\/sign-in#link=[\w-]{43}\n$/)
  expect([known.code, unknown.code, nobody.code]).toEqual([0, 1, 1])
})

test('away from this machine the dashboard asks for TLS', async () => {
  const DATABASE_URL = await newDatabase()
  const DASHBOARD_BASE_URL = 'http://dashboard.example.com'

  expect(await run(['setup', '--email', 'a@b.example'], { DATABASE_URL, DASHBOARD_BASE_URL })).toMatchObject({
    code: 1,
    err: expect.stringContaining('it must begin with https://'),
  })
})

test('setup makes an organization, an ADMIN and tokens, once; the password is drawn and kept as a hash', async () => {
  const DATABASE_URL = await newDatabase()

  const first = await run(['setup', '--email', 'Ada@Example.com'], { DATABASE_URL })
  const second = await run(['setup', '--email', 'eve@example.com'], { DATABASE_URL })

  const made = JSON.parse(first.out)
  expect(made).toMatchObject({
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
  const callers = { live: made.tokens.live, test: made.tokens.test }
  for (const mode of ['live', 'test'] as const) {
    const answer = await fetch(`${server.addresses[mode]}/people`, {
      headers: { authorization: `Bearer ${callers[mode]}` },
    })
    expect(await answer.json()).toMatchObject({ data: [{ email: 'ada@example.com', role: 'ADMIN' }] })
  }
  expect(await server.kill('SIGTERM')).toBe(0)
})

test('migrate says what it would do, does it, and has nothing to do afterwards', async () => {
  const DATABASE_URL = await newDatabase()
  await asOwner(DATABASE_URL, (client) =>
    client.query('drop schema public, control, vault cascade; create schema public'),
  )

  const plan = await run(['migrate', '--plan'], { DATABASE_URL })
  const done = await run(['migrate'], { DATABASE_URL })
  const again = await run(['migrate', '--plan'], { DATABASE_URL })

  expect(plan.out).toContain('Would apply 0001_')
  expect(done.out).toBe(plan.out.replaceAll('Would apply', 'Applied'))
  expect(again.out).toBe('Nothing to do.\n')
})

test('verify-audit finds an entry that was edited', async () => {
  const DATABASE_URL = await newDatabase()
  await run(['setup', '--email', 'ada@example.com'], { DATABASE_URL })

  expect(await run(['verify-audit'], { DATABASE_URL })).toMatchObject({
    code: 0,
    out: expect.stringContaining('2 workspaces, 0 whose audit log does not hold.\n'),
  })
  await asOwner(DATABASE_URL, (client) =>
    client.query("update audit_entries set entry = replace(entry, 'ADMIN', 'READ_ONLY')"),
  )

  const found = await run(['verify-audit'], { DATABASE_URL })
  expect(found.code).toBe(1)
  expect(found.out).toContain('DOES NOT HOLD at entry')
})

test('parked work is listed with its reason, and released', async () => {
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
  expect((await run(['parked'], { DATABASE_URL })).out).toBe('Nothing is parked.\n')
  expect((await run(['parked', 'release', 'no.such', workspace, token], { DATABASE_URL })).err).toContain(
    'There is no work "no.such"',
  )
})

test('keys rotate seals all keys with the first master key, and says when the older one may go', async () => {
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

  const without = await run(['keys', 'rotate'], { DATABASE_URL, MASTER_KEYS: newer })
  expect(without.code).toBe(1)
  expect(without.out).toContain('is sealed with the master key "test", which is not in MASTER_KEYS. Add it')
  expect(without.out).toContain('2 workspaces have a key under another master key than "newer".')

  const done = await run(['keys', 'rotate'], { DATABASE_URL, MASTER_KEYS: `${newer},${testMasterKeys}` })
  expect(done).toMatchObject({ code: 0, err: '' })
  expect(done.out).toContain(
    '2 of 2 workspaces\nEvery key is sealed with the master key "newer".\ntest may be',
  )

  const again = await run(['keys', 'rotate'], { DATABASE_URL, MASTER_KEYS: newer })
  expect(again).toEqual({ code: 0, out: 'Every key is sealed with the master key "newer".\n', err: '' })
})

test('a mistake in the environment is told in a sentence, without a stack', async () => {
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

test('an unknown command shows how to call it', async () => {
  const { code, out } = await run(['dance'])

  expect(code).toBe(2)
  expect(out).toContain('Usage: npm run server -- <command>')
})

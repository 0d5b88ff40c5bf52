import { randomBytes } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { databaseUrl, emptyDatabase, newDatabase } from '../../../test/support/database.ts'
import { type Migration, migrate, planFor, planMigrations, readMigrations } from './migrate.ts'
import { acquireMigrationLock } from './migration-lock.ts'
import { indexBuiltBy, outsideMarker } from './outside-migration.ts'
import { asOwner } from './owner.ts'

test('processes that start concurrently migrate once, and none blocks an index build', async () => {
  const url = await emptyDatabase()
  // A concurrent index build waits for all older snapshots, and must not wait for those of these processes.
  const files = await filesWith(index('index', 'customers_of_test on customers (workspace_id)'))

  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url, files)))

  expect(applied.flat().toSorted()).toEqual(files.map(({ name }) => name))
  expect(await migrate(url, files)).toEqual([])
})

test('the plan lists the missing migrations and changes nothing', async () => {
  const url = await emptyDatabase()

  const plan = await planFor(url)

  expect(plan).toEqual((await readMigrations()).map(({ name }) => name))
  const { rows } = await asOwner(url, (client) => client.query("select to_regclass('workspaces') as found"))
  expect(rows).toEqual([{ found: null }])
  await migrate(url)
  expect(await planFor(url)).toEqual([])
})

const file = (name: string, checksum = name): Migration => ({ name, checksum, sql: '' })

test('an edited migration and a newer database are rejected with different errors', () => {
  const files = [file('0001.sql'), file('0002.sql')]

  expect(planMigrations(files, [file('0001.sql')])).toEqual([file('0002.sql')])
  expect(() => planMigrations(files, [file('0001.sql', 'other')])).toThrow('0001.sql was edited')
  expect(() => planMigrations(files, [file('0001.sql'), file('0002.sql'), file('0003.sql')])).toThrow(
    'Deploy a newer version',
  )
})

/** The existing migrations and one more. */
async function filesWith(sql: string): Promise<Migration[]> {
  return [...(await readMigrations()), { name: '9999_more.sql', sql, checksum: 'more' }]
}

test('a migration yields to a session that holds a table lock, and completes when it is released', async () => {
  const url = await newDatabase()
  const files = await filesWith('alter table customers add column note text')
  const blockedQuery = `select 1 from pg_stat_activity
    where datname = current_database() and query like 'alter table customers%' and wait_event_type = 'Lock'`

  const applied = await asOwner(url, async (holder) => {
    const isBlocked = () =>
      asOwner(url, (client) => client.query(blockedQuery)).then(({ rowCount }) => rowCount === 1)
    await holder.query('begin; lock table customers in row exclusive mode')
    const migrating = migrate(url, files)
    await expect.poll(isBlocked, { timeout: 10_000 }).toBe(true)
    // The migration stops waiting, so that sessions queued behind it can continue.
    await expect.poll(isBlocked, { timeout: 10_000 }).toBe(false)
    await holder.query('commit')
    return migrating
  })

  expect(applied).toEqual(['9999_more.sql'])
})

/** A migration that builds an index concurrently. */
const index = (kind: string, definition: string) =>
  `${outsideMarker}\ncreate ${kind} concurrently if not exists ${definition};\n`

test('an invalid index from an interrupted build is rebuilt, and others are left alone', async () => {
  const url = await newDatabase()
  const files = await filesWith(index('unique index', 'things_once on things (kind)'))
  await asOwner(url, (client) =>
    client.query(`create table things (kind text); insert into things values ('a'), ('a');
      create table others (kind text); insert into others values ('a'), ('a')`),
  )
  const build = 'create unique index concurrently others_once on others (kind)'
  await expect(asOwner(url, (client) => client.query(build))).rejects.toThrow('could not create unique index')
  await expect(migrate(url, files)).rejects.toThrow('could not create unique index')
  await asOwner(url, (client) => client.query('truncate things'))

  const applied = await migrate(url, files)

  const { rows } = await asOwner(url, (client) =>
    client.query(`select indexrelid::regclass::text as name, indisvalid as valid from pg_index
      where indrelid in ('things'::regclass, 'others'::regclass) order by 1`),
  )
  expect(applied).toEqual(['9999_more.sql'])
  expect(rows).toEqual([
    { name: 'others_once', valid: false },
    { name: 'things_once', valid: true },
  ])
})

test('a table with the name of the index is not accepted as the index', async () => {
  const url = await newDatabase()
  await asOwner(url, (client) => client.query('create table things (kind text); create table taken ()'))

  await expect(migrate(url, await filesWith(index('index', 'taken on things (kind)')))).rejects.toThrow(
    '9999_more.sql has not built taken',
  )
})

test.each([
  ['select 1', null],
  ['create index concurrently things_once on things (kind)', null],
  ['create index if not exists things_once on things (kind)', null],
  [
    'create index concurrently if not exists a on things (b); create index concurrently if not exists c on things (d)',
    null,
  ],
  [
    'create unique index concurrently if not exists\n  things_once on control.things (kind)\n  where kind > 0;',
    'control.things',
  ],
])('a migration outside a transaction must build one index and do nothing else: %s', (sql, table) => {
  const read = () => indexBuiltBy('0001.sql', `${outsideMarker}\n-- Why; and how.\n${sql}`)

  if (table === null) expect(read).toThrow('0001.sql begins with')
  else expect(read()).toEqual({ name: 'things_once', table })
})

test('a process that waits too long for the migration lock reports which connection holds it', async () => {
  const url = await emptyDatabase()

  await asOwner(url, async (first) => {
    await acquireMigrationLock(first)
    const { rows } = await first.query('select pg_backend_pid() as pid')

    const waiting = asOwner(url, (second) => acquireMigrationLock(second, 0))

    await expect(waiting).rejects.toThrow(`Another process is still migrating (connection ${rows[0].pid}`)
  })
})

test('the new columns of old audit log entries are backfilled, even if the owner has no other rights', async () => {
  const { url, ownerUrl } = await emptyDatabaseOfPlainUser()
  await migrate(ownerUrl, await migrationsBefore('0034_audit_columns.sql'))
  const entry = { act: 'person.updated', object_id: 'a', api_token_id: null, person_id: 'b' }
  await asOwner(url, (client) =>
    client.query(
      `insert into audit_entries (workspace_id, number, id, entry, hash)
       values (uuidv7(), 1, uuidv7(), $1, sha256(''))`,
      [JSON.stringify(entry)],
    ),
  )

  await migrate(ownerUrl)

  const { rows } = await asOwner(url, (client) =>
    client.query('select act, object_id, api_token_id, person_id from audit_entries'),
  )
  expect(rows).toEqual([entry])
})

test('existing customers can be found by name after a migration, and the owner cannot read workspaces', async () => {
  const { url, ownerUrl } = await emptyDatabaseOfPlainUser()
  await migrate(ownerUrl, await migrationsBefore('0110_search_terms.sql'))
  await asOwner(url, async (client) => {
    await client.query('set session_replication_role = replica')
    await client.query(
      `insert into customers (workspace_id, id, name, email, created_at, updated_at, deleted_at)
       values (uuidv7(), uuidv7(), 'Ada Lovelace', 'Ada@Example.com', now(), now(), null),
         (uuidv7(), uuidv7(), null, null, now(), now(), now())`,
    )
  })

  await migrate(ownerUrl)

  const { rows } = await asOwner(url, (client) =>
    client.query('select array_agg(term order by term) as terms from search_terms group by object_id'),
  )
  expect(rows).toEqual([{ terms: ['ada', 'ada@example.com', 'lovelace'] }])
  const visible = await asOwner(ownerUrl, (client) => client.query('select from customers'))
  expect(visible.rowCount).toBe(0)
})

/** All migrations before the one with this name. */
async function migrationsBefore(name: string): Promise<Migration[]> {
  const files = await readMigrations()
  return files.slice(
    0,
    files.findIndex((file) => file.name === name),
  )
}

async function emptyDatabaseOfPlainUser() {
  const name = `plain_${randomBytes(6).toString('hex')}`
  const server = inject('postgresUrl')
  await asOwner(server, async (client) => {
    await client.query(`create role ${name} login`)
    await client.query(`create database ${name} owner ${name}`)
    await client.query(`grant switchyard_app, switchyard_due, switchyard_log, switchyard_control, switchyard_delivery,
      switchyard_vault to ${name}`)
  })
  const url = databaseUrl(server, name)
  return { url, ownerUrl: Object.assign(new URL(url), { username: name }).href }
}

import { randomBytes } from 'node:crypto'
import { expect, inject, test } from 'vitest'
import { databaseUrl, newDatabase } from '../../../test/support/database.ts'
import { type Migration, migrate, planFor, planMigrations, readMigrations } from './migrate.ts'
import { takeTurn } from './migration-turn.ts'
import { indexBuiltBy, outsideMark } from './outside-migration.ts'
import { asOwner } from './owner.ts'

async function emptyDatabase(): Promise<string> {
  const name = `test_${randomBytes(6).toString('hex')}`
  await asOwner(inject('postgresUrl'), (client) => client.query(`create database ${name}`))
  return databaseUrl(inject('postgresUrl'), name)
}

test('processes that start together migrate once, and none is in the way of an index', async () => {
  const url = await emptyDatabase()
  // An index that is built concurrently waits for all who look at the database, and must not wait for these.
  const files = await filesAnd(index('index', 'customers_of_drill on customers (workspace_id)'))

  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate(url, files)))

  expect(applied.flat().toSorted()).toEqual(files.map(({ name }) => name))
  expect(await migrate(url, files)).toEqual([])
})

test('the plan names what is missing and changes nothing', async () => {
  const url = await emptyDatabase()

  const plan = await planFor(url)

  expect(plan).toEqual((await readMigrations()).map(({ name }) => name))
  const { rows } = await asOwner(url, (client) => client.query("select to_regclass('workspaces') as found"))
  expect(rows).toEqual([{ found: null }])
  await migrate(url)
  expect(await planFor(url)).toEqual([])
})

const file = (name: string, checksum = name): Migration => ({ name, checksum, sql: '' })

test('an edited migration and a newer database are told apart and refused', () => {
  const files = [file('0001.sql'), file('0002.sql')]

  expect(planMigrations(files, [file('0001.sql')])).toEqual([file('0002.sql')])
  expect(() => planMigrations(files, [file('0001.sql', 'other')])).toThrow('0001.sql was edited')
  expect(() => planMigrations(files, [file('0001.sql'), file('0002.sql'), file('0003.sql')])).toThrow(
    'Deploy a newer version',
  )
})

/** Those that there are, and one more. */
async function filesAnd(sql: string): Promise<Migration[]> {
  return [...(await readMigrations()), { name: '9999_more.sql', sql, checksum: 'more' }]
}

test('a migration gives way to whoever holds a table, and is done when it is free', async () => {
  const url = await newDatabase()
  const files = await filesAnd('alter table customers add column note text')
  const waiting = `select 1 from pg_stat_activity
    where datname = current_database() and query like 'alter table customers%' and wait_event_type = 'Lock'`

  const applied = await asOwner(url, async (holder) => {
    const isWaiting = () =>
      asOwner(url, (client) => client.query(waiting)).then(({ rowCount }) => rowCount === 1)
    await holder.query('begin; lock table customers in row exclusive mode')
    const migrating = migrate(url, files)
    await expect.poll(isWaiting, { timeout: 10_000 }).toBe(true)
    // It lets go: others that came after it get through.
    await expect.poll(isWaiting, { timeout: 10_000 }).toBe(false)
    await holder.query('commit')
    return migrating
  })

  expect(applied).toEqual(['9999_more.sql'])
})

/** A file that builds it while rows are written. */
const index = (kind: string, definition: string) =>
  `${outsideMark}\ncreate ${kind} concurrently if not exists ${definition};\n`

test('an index that was left half built is built anew, and others are left alone', async () => {
  const url = await newDatabase()
  const files = await filesAnd(index('unique index', 'things_once on things (kind)'))
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
    client.query(`select indexrelid::regclass::text as name, indisvalid as whole from pg_index
      where indrelid in ('things'::regclass, 'others'::regclass) order by 1`),
  )
  expect(applied).toEqual(['9999_more.sql'])
  expect(rows).toEqual([
    { name: 'others_once', whole: false },
    { name: 'things_once', whole: true },
  ])
})

test('a name that another table has is not taken for the index', async () => {
  const url = await newDatabase()
  await asOwner(url, (client) => client.query('create table things (kind text); create table taken ()'))

  await expect(migrate(url, await filesAnd(index('index', 'taken on things (kind)')))).rejects.toThrow(
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
])('a file outside of transactions holds one index and nothing else: %s', (sql, table) => {
  const read = () => indexBuiltBy('0001.sql', `${outsideMark}\n-- Why; and how.\n${sql}`)

  if (table === null) expect(read).toThrow('0001.sql begins with')
  else expect(read()).toEqual({ name: 'things_once', table })
})

test('whoever has waited too long for its turn says for whom', async () => {
  const url = await emptyDatabase()

  await asOwner(url, async (first) => {
    await takeTurn(first)
    const { rows } = await first.query('select pg_backend_pid() as pid')

    const waiting = asOwner(url, (second) => takeTurn(second, 0))

    await expect(waiting).rejects.toThrow(
      `Another process is still migrating (its connection is ${rows[0].pid}`,
    )
  })
})

test('entries of the audit log from before there were columns are filled in, by an owner without other rights', async () => {
  const { url, as } = await emptyDatabaseOfAPlainUser()
  const files = await readMigrations()
  const before = files.slice(
    0,
    files.findIndex(({ name }) => name === '0034_audit_columns.sql'),
  )
  await migrate(as, before)
  const entry = { act: 'person.updated', object_id: 'a', api_token_id: null, person_id: 'b' }
  await asOwner(url, (client) =>
    client.query(
      `insert into audit_entries (workspace_id, number, id, entry, hash)
       values (uuidv7(), 1, uuidv7(), $1, sha256(''))`,
      [JSON.stringify(entry)],
    ),
  )

  await migrate(as)

  const { rows } = await asOwner(url, (client) =>
    client.query('select act, object_id, api_token_id, person_id from audit_entries'),
  )
  expect(rows).toEqual([entry])
})

async function emptyDatabaseOfAPlainUser() {
  const name = `plain_${randomBytes(6).toString('hex')}`
  const server = inject('postgresUrl')
  await asOwner(server, async (client) => {
    await client.query(`create role ${name} login`)
    await client.query(`create database ${name} owner ${name}`)
    await client.query(`grant switchyard_app, switchyard_due, switchyard_log, switchyard_control, switchyard_delivery,
      switchyard_vault to ${name}`)
  })
  const url = databaseUrl(server, name)
  return { url, as: Object.assign(new URL(url), { username: name }).href }
}

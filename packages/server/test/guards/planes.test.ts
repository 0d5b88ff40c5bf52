// The control plane and the data shards are separate databases in a larger installation, so no unit of work may use
// tables of both. A role can use the tables of one plane only, so a unit of work could use both planes only
// by changing its role.

import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { asOwner } from '../../src/platform/db/owner.ts'
import { newDatabase } from '../support/database.ts'
import { sourceFiles, withoutComments } from './support/repository.ts'

/** Which plane the tables of a schema belong to. The vault is stored with the workspaces. */
const planes = { control: 'control', public: 'shard', vault: 'shard' } as const

/** Tables that every database has, whatever it stores. */
const tablesOfEveryDatabase = ['schema_migrations']

const controlRole = 'switchyard_control'
const shardRoles = [
  'switchyard_app',
  'switchyard_due',
  'switchyard_delivery',
  'switchyard_log',
  'switchyard_vault',
]

/** These files set the role when a transaction begins. No file changes it later. */
const roleFiles = /^platform\/db\/(control-unit|databases|placements)\.ts$/

const sources = sourceFiles().map(({ path, text }) => ({ path, code: withoutComments(text) }))

test('only the platform changes the role of a transaction', () => {
  const found = sources.filter(({ path, code }) => changesRole(code) && !roleFiles.test(path))

  expect(found.map(({ path }) => path)).toEqual([])
  expect(changesRole('await sql`set local role switchyard_control`.execute(tx.db)')).toBe(true)
})

const changesRole = (code: string) => /\bset\s+(local\s+|session\s+)?role\b|set_config\(\s*'role'/i.test(code)

const database = await newDatabase()

test('every table is in a schema of one of the planes', async () => {
  const { rows } = await asOwner(database, (client) =>
    client.query(
      `select distinct nspname as schema from pg_class join pg_namespace on pg_namespace.oid = relnamespace
       where relkind in ('r', 'p', 'v', 'm') and nspname not in ('pg_catalog', 'information_schema', 'pg_toast') order by 1`,
    ),
  )

  expect(rows.map(({ schema }) => schema)).toEqual(Object.keys(planes))
})

test('no role can use tables of both planes, and nothing in the database connects them', async () => {
  expect(await asOwner(database, findConnections)).toEqual(nothing)
})

test.each([
  ['grants', `grant select (name) on control.organizations to switchyard_app`, ['switchyard_app']],
  ['grants', `grant insert on customers to switchyard_control`, ['switchyard_control']],
  [
    'foreignKeys',
    `alter table workspaces add constraint known foreign key (organization_id)
     references control.organizations not valid`,
    ['known'],
  ],
  ['views', `create view everybody as select id from control.people`, ['everybody']],
  [
    'functions',
    `create function people() returns bigint language sql as 'select count(id) from control.people'`,
    ['people'],
  ],
  [
    'functions',
    `create function control.names() returns text language sql as 'select name from customers'`,
    ['names'],
  ],
])('%s that connect the planes are detected: %s', async (kind, statement, names) => {
  const found = await asOwner(database, async (client) => {
    await client.query('begin')
    await client.query(statement)
    const connections = await findConnections(client)
    await client.query('rollback')
    return connections
  })

  expect(found).toEqual({ ...nothing, [kind]: names })
})

const nothing = { grants: [], foreignKeys: [], views: [], functions: [] }

async function findConnections(client: Client): Promise<Record<keyof typeof nothing, readonly string[]>> {
  const namesOf = async (text: string, values: unknown[] = []) =>
    (await client.query<{ name: string }>(text, values)).rows.map(({ name }) => name)
  const differs = `(own.relnamespace = 'control'::regnamespace) <> (other.relnamespace = 'control'::regnamespace)`
  return {
    grants: await namesOf(
      `select distinct role as name from unnest($1::text[]) as role
       join pg_class on relkind in ('r', 'p', 'v', 'm') and relname <> all($2)
       join pg_namespace on pg_namespace.oid = relnamespace and nspname = any($3)
       where (nspname = 'control') <> (role = $4)
         and (has_table_privilege(role, pg_class.oid, 'select, insert, update, delete, truncate')
           or has_any_column_privilege(role, pg_class.oid, 'select, insert, update')) order by 1`,
      [[controlRole, ...shardRoles], tablesOfEveryDatabase, Object.keys(planes), controlRole],
    ),
    foreignKeys: await namesOf(
      `select conname as name from pg_constraint join pg_class as own on own.oid = conrelid
       join pg_class as other on other.oid = confrelid where contype = 'f' and ${differs}`,
    ),
    views: await namesOf(
      `select distinct own.relname as name from pg_depend join pg_rewrite on pg_rewrite.oid = objid
       join pg_class as own on own.oid = ev_class join pg_class as other on other.oid = refobjid
       where refclassid = 'pg_class'::regclass and own.oid <> other.oid and ${differs}
         and own.relnamespace::regnamespace::text = any($1)`,
      [Object.keys(planes)],
    ),
    // Functions of the control schema would be called with the rights of its role, so there are none.
    functions: await namesOf(
      `select proname as name from pg_proc where (pronamespace::regnamespace::text = any($1) and prosrc ~ '\\mcontrol\\.')
         or pronamespace = 'control'::regnamespace`,
      [Object.keys(planes)],
    ),
  }
}

// During an upgrade, processes of the old and the new version share a database, as docs/operations/upgrade.md
// guarantees. A migration that would break or block the old processes is rejected here.

import type { Client } from 'pg'
import { expect, test } from 'vitest'
import { migrate, readMigrations } from '../../src/platform/db/migrate.ts'
import { isOutsideTransaction, outsideMarker } from '../../src/platform/db/outside-migration.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { emptyDatabase } from '../support/database.ts'
import { findMigrationViolations } from './support/migration-rules.ts'

/**
 * The number of accepted violations per migration. They are from before the first release, when there were no
 * old processes, except for one that fills columns of the audit log, which has few rows. Do not add more.
 */
const accepted: Readonly<Record<string, number>> = {
  '0011_resumable_requests.sql': 1,
  '0015_words_of_providers.sql': 1,
  '0016_payments_more.sql': 2,
  '0017_payment_routes.sql': 1,
  '0020_invoices.sql': 1,
  '0022_test_clocks.sql': 5,
  '0028_reports.sql': 8,
  '0030_payment_filters.sql': 2,
  '0034_audit_columns.sql': 1,
}

test('a migration neither breaks nor blocks processes that are running', async () => {
  const unexpected = (await readMigrations())
    .filter(({ name }) => !(name in accepted))
    .flatMap(({ name, sql }) => findMigrationViolations(sql).map((violation) => ({ name, ...violation })))

  expect(unexpected).toEqual([])
})

test('the accepted violations still exist', async () => {
  const counts = (await readMigrations())
    .filter(({ name }) => name in accepted)
    .map(({ name, sql }) => [name, findMigrationViolations(sql).length])

  expect(Object.fromEntries(counts)).toEqual(accepted)
})

/** Migrations after this one are checked for locks. The others are older than this check. */
const lastUncheckedMigration = '0120_account_costs.sql'

/**
 * The tables that the transaction locks against writes, except tables that it created. A partition counts as
 * its table.
 */
const lockedTables = `
  select distinct coalesce(pg_partition_root(relation), relation)::regclass::text as name
  from pg_locks join pg_class on pg_class.oid = relation
  where pid = pg_backend_pid() and relkind in ('r', 'p') and relation >= 16384
    and mode in ('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock')
    and relation = any($1) order by name`

async function findLockedTables(client: Client, sql: string): Promise<string[]> {
  const existing = (await client.query("select oid from pg_class where relkind in ('r', 'p')")).rows
  await client.query('begin')
  await client.query(sql)
  const { rows } = await client.query(lockedTables, [existing.map(({ oid }) => oid)])
  await client.query('commit')
  return rows.map(({ name }) => name)
}

// A request may lock tables in a different order from a migration, so a migration with two locks can deadlock
// with it.
test('a migration locks at most one table that processes are writing to', async () => {
  const url = await emptyDatabase()
  const files = await readMigrations()
  const checkedFrom = files.findIndex(({ name }) => name === lastUncheckedMigration) + 1
  await migrate(url, files.slice(0, checkedFrom))

  const found = await asOwner(url, async (client) => {
    const locks: { name: string; tables: string[] }[] = []
    for (const { name, sql } of files.slice(checkedFrom))
      if (isOutsideTransaction(sql)) await client.query(sql)
      else locks.push({ name, tables: await findLockedTables(client, sql) })
    return locks
  })

  expect(found).toContainEqual({ name: '0121_ledger.sql', tables: ['payments'] })
  expect(found.filter(({ tables }) => tables.length > 1)).toEqual([])
})

// biome-ignore format: a table.
test.each([
  ['alter table payments add column note text not null',                      'Older processes write rows without it'],
  ['alter table payments add column token uuid default gen_random_uuid()',    'rewrites the table'],
  ['alter table payments add column a text generated always as (b || c) stored', 'Write it from the code'],
  ['alter table payments drop column note',                                   'Stop using it in one release'],
  ['drop table refunds',                                                      'Stop using it in one release'],
  ['alter table control.people rename column email to address',               'Older processes know the old name'],
  ['ALTER TABLE payments\n  ALTER COLUMN amount TYPE numeric',                'a column of the new type'],
  ['alter table payments alter amount set not null',                          'a check that is not valid'],
  ['alter table payments add constraint positive check (amount > 0)',         'Add it as not valid'],
  ['alter table payments add foreign key (customer_id) references customers', 'Add it as not valid'],
  ['alter table payments add unique (reference)',                             'Build it concurrently'],
  ['create index payments_of_day on payments (day)',                          'Build it concurrently'],
  ['create index concurrently payments_of_day on payments (day)',             'a file of its own'],
  ["update payments set note = 'a; b'",                                       'changed by work'],
  ['lock table payments',                                                     'until it has finished'],
  [`${outsideMarker}\nselect 1`,                                                'a file of its own'],
])('%s is rejected', (sql, instead) => {
  const violations = findMigrationViolations(`-- Why.\n${sql};`.replace(`-- Why.\n${outsideMarker}`, outsideMarker))

  expect(violations.map((violation) => violation.instead.replaceAll(/\s+/g, ' '))).toEqual([expect.stringContaining(instead)])
})

test.each([
  'alter table payments add column note text, add column rank int not null default 0',
  'create table notes (id uuid primary key, note text not null); create index on notes (note); insert into notes values (1)',
  'alter table payments add constraint positive check (amount > 0) not valid',
  'alter table payments validate constraint positive',
  'alter table payments add constraint once unique using index payments_once',
  'create index payments_of_day on only payments (day)',
  'create index people_by_name on control.people (name)',
  'create function renamed() returns trigger language plpgsql as $$ begin update payments set a = 1; end $$',
  `${outsideMarker}\ncreate index concurrently if not exists refunds_of_day on refunds (day)`,
])('%s is accepted', (sql) => {
  expect(findMigrationViolations(sql)).toEqual([])
})

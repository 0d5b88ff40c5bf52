// Old and new processes share a database while an installation is upgraded. docs/operations/upgrade.md promises that
// they can, so a migration that would break or stop the older ones is refused here.

import { expect, test } from 'vitest'
import { readMigrations } from '../../src/platform/db/migrate.ts'
import { outsideMark } from '../../src/platform/db/outside-migration.ts'
import { faultsOfMigration } from './support/migration-rules.ts'

/**
 * How many faults each has. From before the first release, when nothing ran that they could hurt; and one that fills
 * columns of the audit log, which has few rows. Add none.
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

test('a migration neither breaks nor stops the processes that run meanwhile', async () => {
  const unexpected = (await readMigrations())
    .filter(({ name }) => !(name in accepted))
    .flatMap(({ name, sql }) => faultsOfMigration(sql).map((fault) => ({ name, ...fault })))

  expect(unexpected).toEqual([])
})

test('what is accepted is there as it stands', async () => {
  const counts = (await readMigrations())
    .filter(({ name }) => name in accepted)
    .map(({ name, sql }) => [name, faultsOfMigration(sql).length])

  expect(Object.fromEntries(counts)).toEqual(accepted)
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
  ['lock table payments',                                                     'for as long as it takes'],
  [`${outsideMark}\nselect 1`,                                                'a file of its own'],
])('%s is refused', (sql, instead) => {
  const faults = faultsOfMigration(`-- Why.\n${sql};`.replace(`-- Why.\n${outsideMark}`, outsideMark))

  expect(faults.map((fault) => fault.instead.replaceAll(/\s+/g, ' '))).toEqual([expect.stringContaining(instead)])
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
  `${outsideMark}\ncreate index concurrently if not exists refunds_of_day on refunds (day)`,
])('%s is fine', (sql) => {
  expect(faultsOfMigration(sql)).toEqual([])
})

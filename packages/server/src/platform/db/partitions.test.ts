import { expect, test } from 'vitest'
import { newDatabase } from '../../../test/support/database.ts'
import { asOwner } from './owner.ts'
import {
  dropOldPartitions,
  ensurePartitions,
  findStrayRows,
  isExpired,
  partitionedTables,
  partitionRangeOf,
} from './partitions.ts'

const [events, keys] = partitionedTables as [(typeof partitionedTables)[0], (typeof partitionedTables)[0]]

test.each([
  [events, '2026-11-30T23:59:59.999Z', 0, 'events_p20261101', '2026-12-01'],
  [events, '2026-12-31T00:00:00.000Z', 1, 'events_p20270101', '2027-02-01'],
  [events, '2028-02-29T12:00:00.000Z', 0, 'events_p20280201', '2028-03-01'],
  [keys, '2026-11-15T23:00:00.000Z', 0, 'idempotency_keys_p20261109', '2026-11-16'],
  [keys, '2026-11-16T00:00:00.000Z', 0, 'idempotency_keys_p20261116', '2026-11-23'],
  [keys, '2026-12-31T00:00:00.000Z', 0, 'idempotency_keys_p20261228', '2027-01-04'],
])('%# a partition starts on the first of the month or on Monday', (table, at, steps, name, to) => {
  const range = partitionRangeOf(table, new Date(at), steps)

  expect(range.name).toBe(name)
  expect(range.to.toISOString().slice(0, 10)).toBe(to)
})

test('a partition is dropped when its last row is older than the retention of the table', () => {
  expect(isExpired(keys, 'idempotency_keys_p20261102', new Date('2026-11-15T23:59:59Z'))).toBe(false)
  expect(isExpired(keys, 'idempotency_keys_p20261102', new Date('2026-11-16T00:00:01Z'))).toBe(true)
  expect(isExpired(keys, 'idempotency_keys_default', new Date('2099-01-01Z'))).toBe(false)
})

test('partitions are created ahead, filled by time, and dropped whole', async () => {
  await asOwner(await newDatabase(), async (client) => {
    const run = (text: string) => client.query(text)
    const later = new Date(Date.UTC(2031, 4, 20))

    const created = await ensurePartitions(run, later)
    expect(created).toContain('events_p20310501')
    expect(await ensurePartitions(run, later)).toEqual([])

    await client.query(
      `insert into events select gen_random_uuid(), uuid_floor('2031-05-07'), 'a.b', gen_random_uuid(), 1, '', now(), ''`,
    )
    const { rows } = await client.query(
      "select tableoid::regclass::text as partition from events where id = uuid_floor('2031-05-07')",
    )
    expect(rows).toEqual([{ partition: 'events_p20310501' }])

    const dropped = await dropOldPartitions(run, new Date(Date.UTC(2031, 11, 1)))
    expect(dropped).toContain('events_p20310501')
    expect((await client.query('select from events')).rowCount).toBe(0)
  })
})

test('the values of a padded event are compressed in its row, including in partitions that an earlier version of Switchyard created', async () => {
  await asOwner(await newDatabase(), async (client) => {
    const run = (text: string) => client.query(text)
    await client.query('alter table events_default reset (toast_tuple_target)')
    await ensurePartitions(run, new Date(Date.UTC(2031, 4, 20)))
    const data = JSON.stringify(Array.from({ length: 60 }, (_, nth) => ({ [`member_${nth}`]: null })))
    for (const day of ['2031-05-07', '1999-01-01'])
      await client.query(
        `insert into events (workspace_id, id, type, object_id, sequence, api_version, created_at, data, padding)
         values (gen_random_uuid(), uuid_floor($1), 'a.b', gen_random_uuid(), 1, '', now(), $2, repeat(' ', 1200))`,
        [day, data],
      )

    const { rows } = await client.query(
      `select tableoid::regclass::text as partition, data, pg_column_compression(data) as method,
         pg_column_size(events.*) as bytes from events order by id desc`,
    )
    expect(rows).toEqual([
      { partition: 'events_p20310501', data, method: 'pglz', bytes: expect.any(Number) },
      { partition: 'events_default', data, method: 'pglz', bytes: expect.any(Number) },
    ])
    for (const { bytes } of rows) expect(bytes).toBeLessThan(data.length / 2)
  })
})

test('rows inserted while their partition was missing move into it when it is created', async () => {
  await asOwner(await newDatabase(), async (client) => {
    const run = (text: string) => client.query(text)
    await client.query(
      `insert into events select gen_random_uuid(), uuid_floor('2031-05-07'), 'a.b', gen_random_uuid(), 1, '', now(), ''`,
    )
    expect((await findStrayRows(run)).filter(({ strays }) => strays)).toHaveLength(1)

    await ensurePartitions(run, new Date(Date.UTC(2031, 4, 20)))

    const { rows } = await client.query('select tableoid::regclass::text as partition from events')
    expect(rows).toEqual([{ partition: 'events_p20310501' }])
    expect((await findStrayRows(run)).filter(({ strays }) => strays)).toEqual([])
  })
})

test('rows in the default partition are reported', async () => {
  await asOwner(await newDatabase(), async (client) => {
    const run = (text: string) => client.query(text)
    expect((await findStrayRows(run)).filter(({ strays }) => strays)).toEqual([])

    await client.query(
      `insert into events select gen_random_uuid(), uuid_floor('1999-01-01'), 'a.b', gen_random_uuid(), 1, '', now(), ''`,
    )

    expect((await findStrayRows(run)).filter(({ strays }) => strays)).toEqual([
      { table: 'events', strays: true },
    ])
  })
})

test('a migration indexes small partitions and every new partition, but no large one', async () => {
  await asOwner(await newDatabase(), async (client) => {
    const run = (text: string) => client.query(text)
    await client.query(`insert into request_log
      (workspace_id, id, method, path, status, api_version, replayed, duration_ms)
      values (uuidv7(), uuidv7(), 'GET', '/', 200, '', false, 1)`)
    const { rows: large } = await client.query(
      'select distinct tableoid::regclass::text as part from request_log',
    )

    await client.query(`select index_parts('request_log', 'of_path', '(workspace_id, path, id)', 1)`)
    await ensurePartitions(run, new Date(Date.UTC(2031, 4, 20)))

    const { rows: without } = await client.query(`select inhrelid::regclass::text as part from pg_inherits
      where inhparent = 'request_log'::regclass and not exists (
        select from pg_index where indrelid = inhrelid and pg_get_indexdef(indexrelid) like '%(workspace_id, path, id)')`)
    expect(large).toHaveLength(1)
    expect(without).toEqual(large)
  })
})

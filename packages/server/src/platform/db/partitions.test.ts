import { expect, test } from 'vitest'
import { newDatabase } from '../../../test/support/database.ts'
import { asOwner } from './owner.ts'
import {
  countStrays,
  dropOldPartitions,
  ensurePartitions,
  isOver,
  partitionedTables,
  stretchOf,
} from './partitions.ts'

const [events, keys] = partitionedTables as [(typeof partitionedTables)[0], (typeof partitionedTables)[0]]

test.each([
  [events, '2026-11-30T23:59:59.999Z', 0, 'events_p20261101', '2026-12-01'],
  [events, '2026-12-31T00:00:00.000Z', 1, 'events_p20270101', '2027-02-01'],
  [events, '2028-02-29T12:00:00.000Z', 0, 'events_p20280201', '2028-03-01'],
  [keys, '2026-11-15T23:00:00.000Z', 0, 'idempotency_keys_p20261109', '2026-11-16'],
  [keys, '2026-11-16T00:00:00.000Z', 0, 'idempotency_keys_p20261116', '2026-11-23'],
  [keys, '2026-12-31T00:00:00.000Z', 0, 'idempotency_keys_p20261228', '2027-01-04'],
])('%# the stretch of a time begins with its month or Monday', (table, at, steps, name, to) => {
  const stretch = stretchOf(table, new Date(at), steps)

  expect(stretch.name).toBe(name)
  expect(stretch.to.toISOString().slice(0, 10)).toBe(to)
})

test('a partition goes when its last row is older than the table keeps', () => {
  expect(isOver(keys, 'idempotency_keys_p20261102', new Date('2026-11-15T23:59:59Z'))).toBe(false)
  expect(isOver(keys, 'idempotency_keys_p20261102', new Date('2026-11-16T00:00:01Z'))).toBe(true)
  expect(isOver(keys, 'idempotency_keys_default', new Date('2099-01-01Z'))).toBe(false)
})

test('partitions are made ahead, filled by time, and dropped whole', async () => {
  await asOwner(await newDatabase(), async (client) => {
    const run = (text: string) => client.query(text)
    const later = new Date(Date.UTC(2031, 4, 20))

    const made = await ensurePartitions(run, later)
    expect(made).toContain('events_p20310501')
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

test('rows that came while their partition was missing move into it when it is made', async () => {
  await asOwner(await newDatabase(), async (client) => {
    const run = (text: string) => client.query(text)
    await client.query(
      `insert into events select gen_random_uuid(), uuid_floor('2031-05-07'), 'a.b', gen_random_uuid(), 1, '', now(), ''`,
    )
    expect((await countStrays(run)).filter(({ strays }) => strays)).toHaveLength(1)

    await ensurePartitions(run, new Date(Date.UTC(2031, 4, 20)))

    const { rows } = await client.query('select tableoid::regclass::text as partition from events')
    expect(rows).toEqual([{ partition: 'events_p20310501' }])
    expect((await countStrays(run)).filter(({ strays }) => strays)).toEqual([])
  })
})

test('rows that no partition takes are noticed', async () => {
  await asOwner(await newDatabase(), async (client) => {
    const run = (text: string) => client.query(text)
    expect((await countStrays(run)).filter(({ strays }) => strays)).toEqual([])

    await client.query(
      `insert into events select gen_random_uuid(), uuid_floor('1999-01-01'), 'a.b', gen_random_uuid(), 1, '', now(), ''`,
    )

    expect((await countStrays(run)).filter(({ strays }) => strays)).toEqual([
      { table: 'events', strays: true },
    ])
  })
})

test('a migration indexes the parts that are small, and each part that comes', async () => {
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

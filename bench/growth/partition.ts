/**
 * Fills partitions with millions of rows. Each partition is detached and filled with its previous rows and the new ones:
 * building an index in one step is faster than row by row, and an empty partition is filled without WAL.
 */
import type { Client } from 'pg'
import { uuidFloor } from '../../packages/server/src/kernel/id.ts'
import {
  type PartitionedTable,
  partitionedTables,
  partitionRangeOf,
} from '../../packages/server/src/platform/db/partitions.ts'

export function tableNamed(name: string): PartitionedTable {
  return partitionedTables.find(({ table }) => table === name) as PartitionedTable
}

/** Fills the partitions that contain `at`, one for each table. `into` returns the partition to insert into. */
export async function fillPartitions(
  client: Client,
  tables: readonly string[],
  at: Date,
  fill: (into: (table: string) => string) => Promise<void>,
): Promise<void> {
  const partitions = tables.map((table) => ({ table, ...partitionRangeOf(tableNamed(table), at) }))
  const into = (table: string) => partitions.find((partition) => partition.table === table)?.name ?? table
  for (const { table, name } of partitions)
    await client.query(`alter table ${table} detach partition ${name}`)
  await client.query('begin')
  for (const { name } of partitions) {
    const { rowCount } = await client.query(`select from ${name} limit 1`)
    // A table truncated in the same transaction is written without WAL.
    if (rowCount === 0) await client.query(`truncate ${name}`)
  }
  const names = partitions.map(({ name }) => name)
  await names.reduce(
    (inner, name) => () => withoutIndexes(client, name, inner),
    () => fill(into),
  )()
  await client.query('commit')
  for (const { table, name, from, to } of partitions) {
    const bounds = `from ('${uuidFloor(from)}') to ('${uuidFloor(to)}')`
    await client.query(`alter table ${table} attach partition ${name} for values ${bounds}`)
  }
}

export async function withoutIndexes(
  client: Client,
  table: string,
  fill: () => Promise<void>,
): Promise<void> {
  const { rows } = await client.query(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition,
       case when indisprimary then 'primary key' when conindid is not null then 'unique' end as constraint
     from pg_index left join pg_constraint on conindid = indexrelid and contype in ('p', 'u')
     where indrelid = $1::regclass`,
    [table],
  )
  for (const { name, constraint } of rows)
    await client.query(
      constraint === null ? `drop index ${name}` : `alter table ${table} drop constraint ${name}`,
    )
  await fill()
  for (const { name, constraint, definition } of rows) {
    await client.query(definition)
    if (constraint !== null)
      await client.query(`alter table ${table} add constraint ${name} ${constraint} using index ${name}`)
  }
}

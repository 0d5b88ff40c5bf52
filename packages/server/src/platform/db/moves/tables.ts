/**
 * The tables that a move copies: every table with rows of workspaces, as listed in the catalog of PostgreSQL.
 */
import type { Client } from 'pg'
import { partitionedTables } from '../partitions.ts'

export type MovedTable = {
  /** With its schema, quoted. */
  readonly name: string
  /** The columns that are replicated, quoted. */
  readonly columns: readonly string[]
  /** Whether some columns are not replicated. Generated columns are computed by each shard. */
  readonly isPartial: boolean
  /** The column with a UUID that contains a time, quoted. Null if there is none. */
  readonly idColumn: string | null
  readonly hasUpdatedAt: boolean
}

/**
 * Columns that belong to the database and not to the workspace. `txid` is the transaction that wrote the row:
 * on another shard it gets its default value, which is the transaction that replicates the row.
 */
const ownColumns: Readonly<Record<string, readonly string[]>> = {
  'public.events': ['txid'],
  'public.ledger_postings': ['txid'],
  'public.workspace_moves': ['log_begins_at'],
}

/** Security codes are in an unlogged table, which is not replicated. They stay behind, as after a failover. */
const selectTables = `
  select format('%I.%I', nspname, relname) as name,
    array_agg(quote_ident(attname) order by attnum) filter (where attgenerated = '') as columns,
    bool_or(attname = 'id' and atttypid = 'uuid'::regtype) as "hasId",
    bool_or(attname = 'updated_at') as "hasUpdatedAt"
  from pg_class join pg_namespace on pg_namespace.oid = relnamespace
    join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped
  where nspname in ('public', 'vault') and relkind in ('r', 'p') and not relispartition and relpersistence = 'p'
    and (nspname, relname) <> ('public', 'placements')
  group by nspname, relname having bool_or(attname = 'workspace_id') order by 1`

type Row = {
  readonly name: string
  readonly columns: readonly string[]
  readonly hasId: boolean
  readonly hasUpdatedAt: boolean
}

export async function findMovedTables(client: Client): Promise<readonly MovedTable[]> {
  const { rows } = await client.query<Row>(selectTables)
  const keyColumns = new Map(partitionedTables.map(({ table, keyColumn }) => [`public.${table}`, keyColumn]))
  return rows.map(({ name, columns, hasId, hasUpdatedAt }) => {
    const own = ownColumns[name] ?? []
    return {
      name,
      columns: columns.filter((column) => !own.includes(column)),
      isPartial: own.length > 0,
      idColumn: keyColumns.get(name) ?? (hasId ? 'id' : null),
      hasUpdatedAt,
    }
  })
}

/** One line per table, to compare the replicated columns with those that should be replicated. */
export function describeTables(tables: readonly Pick<MovedTable, 'name' | 'columns'>[]): string {
  return tables.map(({ name, columns }) => `${name} (${columns.toSorted().join(', ')})`).join('\n')
}

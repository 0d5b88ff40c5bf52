/**
 * Tables that grow without limit are partitioned by time: ids are ordered by time, so a range of ids is a
 * period. Partitions are created in advance and dropped as a whole; rows are never deleted one by one.
 */
import { uuidFloor } from '../../kernel/id.ts'

export type PartitionedTable = {
  readonly table: string
  readonly interval: 'day' | 'week' | 'month'
  /** The column with the partition key. */
  readonly keyColumn: string
  /** Retention of a partition in days; null if it is never dropped automatically. */
  readonly keepDays: number | null
  /** How many past partitions are created, for backdated rows. */
  readonly partitionsBehind?: number
  /** Columns that are unique within a partition, for constraints that do not include the id. */
  readonly uniqueColumns?: string
  /**
   * Whether all values are compressed, and not only until the row fits into 2 KB. Smaller rows are not
   * compressed.
   */
  readonly isCompressed?: true
}

export const partitionedTables: readonly PartitionedTable[] = [
  { table: 'events', interval: 'month', keyColumn: 'id', keepDays: 90, isCompressed: true },
  {
    table: 'idempotency_keys',
    interval: 'week',
    keyColumn: 'id',
    keepDays: 7,
    uniqueColumns: 'workspace_id, scope',
  },
  { table: 'request_log', interval: 'week', keyColumn: 'id', keepDays: 30 },
  { table: 'deliveries', interval: 'week', keyColumn: 'id', keepDays: 30 },
  { table: 'delivery_attempts', interval: 'week', keyColumn: 'delivery_id', keepDays: 30 },
  // Payment data is kept. Operators can detach and archive old partitions.
  { table: 'payments', interval: 'month', keyColumn: 'id', keepDays: null },
  { table: 'payment_attempts', interval: 'month', keyColumn: 'payment_id', keepDays: null },
  { table: 'operations', interval: 'month', keyColumn: 'payment_id', keepDays: null },
  { table: 'refunds', interval: 'month', keyColumn: 'payment_id', keepDays: null },
  // The id of a posting is derived from its cause, so the posting is in the partition for the time of the
  // cause.
  { table: 'ledger_postings', interval: 'month', keyColumn: 'id', keepDays: null },
  {
    table: 'provider_events',
    interval: 'month',
    keyColumn: 'id',
    keepDays: 90,
    uniqueColumns: 'workspace_id, provider_account_id, dedupe_key',
  },
  { table: 'provider_health_minutes', interval: 'month', keyColumn: 'id', keepDays: 90 },
  // Card network retry rules count attempts over one month.
  { table: 'network_attempts', interval: 'month', keyColumn: 'id', keepDays: 90 },
  // Every visitor of a payment link creates a checkout session.
  { table: 'checkout_sessions', interval: 'month', keyColumn: 'id', keepDays: null },
  // The rate limits cover at most one day.
  { table: 'checkout_tries', interval: 'day', keyColumn: 'id', keepDays: 2 },
  { table: 'checkout_budgets', interval: 'day', keyColumn: 'id', keepDays: 2 },
  // Reports cover 13 months.
  { table: 'payment_figures', interval: 'month', keyColumn: 'id', keepDays: 400 },
  // Partitioned by the month in which the usage occurred. Events are accepted for 35 days, and kept for a
  // while after they were billed.
  {
    table: 'meter_events',
    interval: 'month',
    keyColumn: 'id',
    keepDays: 100,
    partitionsBehind: 2,
    uniqueColumns: 'workspace_id, meter_id, event_id',
  },
  { table: 'provider_calls', interval: 'day', keyColumn: 'id', keepDays: 90 },
]

export type PartitionRange = { readonly name: string; readonly from: Date; readonly to: Date }
type Run = (sql: string) => Promise<{ rows: { [column: string]: unknown }[] }>

/** How many partitions are created ahead, so that a maintenance job that fails for a while does no harm. */
const partitionsAhead = 2

/** The partition that contains `at`, shifted by `steps`. Weeks start on Monday. Has no side effects. */
export function partitionRangeOf({ table, interval }: PartitionedTable, at: Date, steps = 0): PartitionRange {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  const monday = day - ((at.getUTCDay() + 6) % 7)
  const startOf = (step: number) =>
    new Date(
      {
        day: Date.UTC(year, month, day + step),
        week: Date.UTC(year, month, monday + 7 * step),
        month: Date.UTC(year, month + step, 1),
      }[interval],
    )
  const from = startOf(steps)
  const name = `${table}_p${from.toISOString().slice(0, 10).replaceAll('-', '')}`
  return { name, from, to: startOf(steps + 1) }
}

/**
 * Creates missing partitions: the default, the current one, and those ahead. `now` is the time of the
 * database: a machine with a wrong clock must not decide where rows go.
 */
export async function ensurePartitions(run: Run, now: Date): Promise<string[]> {
  return eachTable(async (table) => {
    // A new process can run before the migration that creates the table.
    const { rows } = await run(`select to_regclass('${table.table}') is not null as exists`)
    if (rows[0]?.exists !== true) return []
    const existing = new Set(await partitionNames(run, table.table))
    const defaultName = `${table.table}_default`
    if (!existing.has(defaultName))
      await attach(run, table, { name: defaultName, bounds: 'default', strays: 'false' })
    const created: string[] = []
    for (let step = -(table.partitionsBehind ?? 0); step <= partitionsAhead; step += 1) {
      const range = partitionRangeOf(table, now, step)
      if (existing.has(range.name)) continue
      await attach(run, table, partitionOf(table, range))
      created.push(range.name)
    }
    if (table.isCompressed) await compressPartitions(run, table)
    return created
  })
}

/** Creates the partitions with these names that are missing. Other names, such as those of default partitions, are ignored. */
export async function createPartitionsLike(run: Run, names: readonly string[]): Promise<void> {
  await eachTable(async (table) => {
    const existing = new Set(await partitionNames(run, table.table))
    const missing = names.filter((name) => name.startsWith(`${table.table}_p`) && !existing.has(name))
    const ranges = missing
      .flatMap((name) => startOfPartition(name) ?? [])
      .map((at) => partitionRangeOf(table, at))
    for (const range of ranges) await attach(run, table, partitionOf(table, range))
    if (ranges.length > 0 && table.isCompressed) await compressPartitions(run, table)
    return ranges.map(({ name }) => name)
  })
}

/** The names of all partitions. */
export async function listPartitions(run: Run): Promise<string[]> {
  return eachTable(({ table }) => partitionNames(run, table))
}

/**
 * PostgreSQL compresses the values of a row only until the row has this size, by default 2 KB. A partition
 * does not inherit the setting.
 */
const smallestTarget = 'toast_tuple_target=128'

/** The lock does not block reads and writes. */
async function compressPartitions(run: Run, { table }: PartitionedTable): Promise<void> {
  const { rows } = await run(
    `select inhrelid::regclass::text as name from pg_inherits join pg_class on pg_class.oid = inhrelid
     where inhparent = '${table}'::regclass and coalesce(array_position(reloptions, '${smallestTarget}'), 0) = 0`,
  )
  for (const { name } of rows)
    await run(`set local lock_timeout = '2s'; alter table ${name} set (${smallestTarget})`)
}

/** Drops the partitions beyond the retention of their table, by the time of the database. */
export async function dropOldPartitions(run: Run, now: Date): Promise<string[]> {
  return eachTable(async (table) => {
    const expired = (await partitionNames(run, table.table)).filter((name) => isExpired(table, name, now))
    for (const name of expired) {
      await run(`set local lock_timeout = '2s'; alter table ${table.table} detach partition ${name};
        drop table ${name}`)
    }
    return expired
  })
}

/** A failure of one table must not block the others; it is reported after all tables were processed. */
async function eachTable(run: (table: PartitionedTable) => Promise<string[]>): Promise<string[]> {
  const outcomes: PromiseSettledResult<string[]>[] = []
  for (const table of partitionedTables) outcomes.push(...(await Promise.allSettled([run(table)])))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
}

/**
 * Whether the whole partition is beyond the retention of the table. Never true for the default partition. Has no side
 * effects.
 */
export function isExpired(table: PartitionedTable, name: string, now: Date): boolean {
  const start = startOfPartition(name)
  if (start === null) return false
  const { to } = partitionRangeOf(table, start)
  return table.keepDays !== null && now.getTime() - to.getTime() > table.keepDays * 24 * 60 * 60 * 1000
}

/** Null for the default partition. */
function startOfPartition(name: string): Date | null {
  const day = /_p(\d{4})(\d{2})(\d{2})$/.exec(name)
  return day === null ? null : new Date(Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3])))
}

/**
 * Whether there are rows in default partitions. If there are, a clock is wrong or the maintenance job has not
 * run.
 */
export async function findStrayRows(run: Run): Promise<{ table: string; strays: boolean }[]> {
  const results: { table: string; strays: boolean }[] = []
  for (const { table } of partitionedTables) {
    const { rows } = await run(`select exists (select from ${table}_default) as strays`)
    results.push({ table, strays: rows[0]?.strays === true })
  }
  return results
}

async function partitionNames(run: Run, table: string): Promise<string[]> {
  const { rows } = await run(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = '${table}'::regclass order by 1`,
  )
  return rows.map((row) => String(row.name))
}

type NewPartition = { readonly name: string; readonly bounds: string; readonly strays: string }

function partitionOf({ keyColumn }: PartitionedTable, { name, from, to }: PartitionRange): NewPartition {
  const [low, high] = [uuidFloor(from), uuidFloor(to)]
  return {
    name,
    bounds: `for values from ('${low}') to ('${high}')`,
    strays: `${keyColumn} >= '${low}' and ${keyColumn} < '${high}'`,
  }
}

/**
 * Creates the partition as a table and then attaches it, so the parent stays readable and writable. Rows that
 * went to the default partition because this one was missing are moved.
 */
async function attach(
  run: Run,
  table: PartitionedTable,
  { name, bounds, strays }: NewPartition,
): Promise<void> {
  const unique = table.uniqueColumns
    ? `create unique index ${name}_once on ${name} (${table.uniqueColumns});`
    : ''
  const move =
    strays === 'false'
      ? ''
      : `with stray as (delete from ${table.table}_default where ${strays} returning *)
         insert into ${name} select * from stray;`
  // Several statements in one message run in one transaction.
  await run(`set local lock_timeout = '2s';
    create table ${name} (like ${table.table} including all); ${unique} ${move}
    alter table ${table.table} attach partition ${name} ${bounds}`)
}

/**
 * Tables that grow without end are cut by time: ids are ordered by time, so a range of ids is a stretch
 * of time. Partitions are made ahead and dropped whole; no row is ever deleted one by one.
 */
import { uuidFloor } from '../../kernel/id.ts'

export type PartitionedTable = {
  readonly table: string
  readonly every: 'day' | 'week' | 'month'
  /** The column that holds the id it is cut by. */
  readonly by: string
  /** Whole days after which a partition may go; null: never by us. */
  readonly keepDays: number | null
  /** Unique over these columns within a partition, where the rule does not contain the id. */
  readonly uniqueInside?: string
}

export const partitionedTables: readonly PartitionedTable[] = [
  { table: 'events', every: 'month', by: 'id', keepDays: 90 },
  { table: 'idempotency_keys', every: 'week', by: 'id', keepDays: 7, uniqueInside: 'workspace_id, scope' },
  { table: 'request_log', every: 'week', by: 'id', keepDays: 30 },
  { table: 'deliveries', every: 'week', by: 'id', keepDays: 30 },
  { table: 'delivery_attempts', every: 'week', by: 'delivery_id', keepDays: 30 },
  // Money is kept. An operator may detach and archive old stretches.
  { table: 'payments', every: 'month', by: 'id', keepDays: null },
  { table: 'payment_attempts', every: 'month', by: 'payment_id', keepDays: null },
  { table: 'operations', every: 'month', by: 'payment_id', keepDays: null },
  { table: 'refunds', every: 'month', by: 'payment_id', keepDays: null },
  {
    ...({ table: 'provider_events', every: 'month', by: 'id', keepDays: 90 } as const),
    uniqueInside: 'workspace_id, provider_account_id, dedupe_key',
  },
  { table: 'provider_health_minutes', every: 'month', by: 'id', keepDays: 90 },
  // Networks look back for a month.
  { table: 'network_attempts', every: 'month', by: 'id', keepDays: 90 },
  // Whoever opens a link has one.
  { table: 'checkout_sessions', every: 'month', by: 'id', keepDays: null },
  // The limits look back for an hour.
  { table: 'checkout_tries', every: 'day', by: 'id', keepDays: 2 },
  // Reports go back for a year and a month.
  { table: 'payment_figures', every: 'month', by: 'id', keepDays: 400 },
  { table: 'provider_calls', every: 'day', by: 'id', keepDays: 90 },
]

export type Stretch = { readonly name: string; readonly from: Date; readonly to: Date }
type Run = (sql: string) => Promise<{ rows: { [column: string]: unknown }[] }>

/** How many partitions are ready beside the current one, so that a chore may fail for a while. */
const ahead = 2

/** The stretch that holds `at`, moved by `steps`. Weeks begin on Monday. Pure. */
export function stretchOf({ table, every }: PartitionedTable, at: Date, steps = 0): Stretch {
  const [year, month, day] = [at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate()]
  const monday = day - ((at.getUTCDay() + 6) % 7)
  const begin = (step: number) =>
    new Date(
      {
        day: Date.UTC(year, month, day + step),
        week: Date.UTC(year, month, monday + 7 * step),
        month: Date.UTC(year, month + step, 1),
      }[every],
    )
  const from = begin(steps)
  const name = `${table}_p${from.toISOString().slice(0, 10).replaceAll('-', '')}`
  return { name, from, to: begin(steps + 1) }
}

/**
 * Makes what is missing: a default that catches strays, the current stretch, and those ahead. `now` is the
 * database's time: a machine with a wrong clock must not decide where rows go.
 */
export async function ensurePartitions(run: Run, now: Date): Promise<string[]> {
  return eachTable(async (table) => {
    const existing = new Set(await partitionNames(run, table.table))
    const fallback = `${table.table}_default`
    if (!existing.has(fallback))
      await attach(run, table, { name: fallback, bounds: 'default', strays: 'false' })
    const made: string[] = []
    for (let step = 0; step <= ahead; step += 1) {
      const stretch = stretchOf(table, now, step)
      if (existing.has(stretch.name)) continue
      await attach(run, table, partitionOf(table, stretch))
      made.push(stretch.name)
    }
    return made
  })
}

/** Drops the stretches that ended longer ago than their table keeps, by the database's time. */
export async function dropOldPartitions(run: Run, now: Date): Promise<string[]> {
  return eachTable(async (table) => {
    const over = (await partitionNames(run, table.table)).filter((name) => isOver(table, name, now))
    for (const name of over) {
      await run(`set local lock_timeout = '2s'; alter table ${table.table} detach partition ${name};
        drop table ${name}`)
    }
    return over
  })
}

/** One table in trouble must not keep the others waiting; the trouble is told when all have had their turn. */
async function eachTable(work: (table: PartitionedTable) => Promise<string[]>): Promise<string[]> {
  const outcomes: PromiseSettledResult<string[]>[] = []
  for (const table of partitionedTables) outcomes.push(...(await Promise.allSettled([work(table)])))
  const failed = outcomes.find((outcome) => outcome.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? outcome.value : []))
}

/** Whether all of the partition is older than the table keeps. The default partition never is. Pure. */
export function isOver(table: PartitionedTable, name: string, now: Date): boolean {
  const day = /_p(\d{4})(\d{2})(\d{2})$/.exec(name)
  if (day === null) return false
  const { to } = stretchOf(table, new Date(Date.UTC(Number(day[1]), Number(day[2]) - 1, Number(day[3]))))
  return table.keepDays !== null && now.getTime() - to.getTime() > table.keepDays * 24 * 60 * 60 * 1000
}

/** Rows that no stretch took. There should be none: a clock is wrong, or a chore has not run. */
export async function countStrays(run: Run): Promise<{ table: string; strays: boolean }[]> {
  const found: { table: string; strays: boolean }[] = []
  for (const { table } of partitionedTables) {
    const { rows } = await run(`select exists (select from ${table}_default) as strays`)
    found.push({ table, strays: rows[0]?.strays === true })
  }
  return found
}

async function partitionNames(run: Run, table: string): Promise<string[]> {
  const { rows } = await run(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = '${table}'::regclass order by 1`,
  )
  return rows.map((row) => String(row.name))
}

type NewPartition = { readonly name: string; readonly bounds: string; readonly strays: string }

function partitionOf({ by }: PartitionedTable, { name, from, to }: Stretch): NewPartition {
  const [low, high] = [uuidFloor(from), uuidFloor(to)]
  return {
    name,
    bounds: `for values from ('${low}') to ('${high}')`,
    strays: `${by} >= '${low}' and ${by} < '${high}'`,
  }
}

/**
 * Built beside the parent and then attached: the parent stays readable and writable meanwhile. Rows that
 * the default caught, because this stretch was missing, move to where they belong.
 */
async function attach(
  run: Run,
  table: PartitionedTable,
  { name, bounds, strays }: NewPartition,
): Promise<void> {
  const unique = table.uniqueInside
    ? `create unique index ${name}_once on ${name} (${table.uniqueInside});`
    : ''
  const move =
    strays === 'false'
      ? ''
      : `with stray as (delete from ${table.table}_default where ${strays} returning *)
         insert into ${name} select * from stray;`
  // Several statements in one message are one transaction.
  await run(`set local lock_timeout = '2s';
    create table ${name} (like ${table.table} including all); ${unique} ${move}
    alter table ${table.table} attach partition ${name} ${bounds}`)
}

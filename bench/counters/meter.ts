/**
 * Measures the database cost of operations with the statistics of Postgres. Counts hardly vary between runs and machines,
 * so unlike timings they can fail a check.
 */
import { Client } from 'pg'

export type Count = {
  /** Without transaction statements; see `frames`. */
  readonly statements: number
  /** BEGIN, COMMIT, ROLLBACK, SET and enter_workspace: they are sent together with other statements. */
  readonly frames: number
  /** Transactions with writes, counted by transaction id. */
  readonly commits: number
  readonly pages: number
  readonly walBytes: number
}

/** A normalized statement, with its average number of calls and pages per operation. */
export type StatementCount = { readonly text: string; readonly calls: number; readonly pages: number }

export type Counted = Count & { readonly lines: readonly StatementCount[] }

export type Meter = {
  /** Runs `body`, which performs the given number of operations. Returns the average cost of an operation. */
  count(operations: number, body: () => Promise<void>): Promise<Counted>
  close(): Promise<void>
}

const framePattern = /^(begin|commit|rollback|set |select (set_config|enter_workspace)\()/i

/**
 * Counts in the database at `url` from a connection to another database, so that the statements of the meter
 * are not counted.
 */
export async function openMeter(url: string): Promise<Meter> {
  const database = new URL(url).pathname.slice(1)
  const client = new Client({ connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href })
  await client.connect()
  await client.query('create extension if not exists pg_stat_statements')

  return {
    async count(operations, body) {
      await client.query('select pg_stat_statements_reset()')
      const before = await readCounters(client)
      await body()
      const after = await readCounters(client)
      const lines = await readStatements(client, database, operations)
      const calls = (isFrame: boolean) =>
        sum(lines.filter(({ text }) => framePattern.test(text) === isFrame).map((line) => line.calls))
      return {
        statements: calls(false),
        frames: calls(true),
        commits: (after.transactions - before.transactions) / operations,
        pages: sum(lines.map((line) => line.pages)),
        walBytes: (after.walBytes - before.walBytes) / operations,
        lines,
      }
    },
    close: () => client.end(),
  }
}

type Counters = { readonly transactions: number; readonly walBytes: number }

async function readCounters(client: Client): Promise<Counters> {
  const { rows } = await client.query(`select pg_snapshot_xmax(pg_current_snapshot())::text as transactions,
    pg_current_wal_insert_lsn() - '0/0' as wal_bytes`)
  return { transactions: Number(rows[0].transactions), walBytes: Number(rows[0].wal_bytes) }
}

async function readStatements(
  client: Client,
  database: string,
  operations: number,
): Promise<StatementCount[]> {
  const { rows } = await client.query(
    `select query, calls, shared_blks_hit + shared_blks_read as pages from pg_stat_statements
     where dbid = (select oid from pg_database where datname = $1) and toplevel
     order by pages desc, query`,
    [database],
  )
  return rows.map((row) => ({
    text: row.query.replaceAll(/\s+/g, ' ').trim(),
    calls: Number(row.calls) / operations,
    pages: Number(row.pages) / operations,
  }))
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

/**
 * What a number of operations cost the database, counted by the database itself. Counts hardly move from
 * run to run and from machine to machine, which is why they may stop a change and timings may not.
 */
import { Client } from 'pg'

export type Count = {
  /** Without the frame. */
  readonly statements: number
  /** BEGIN, COMMIT, ROLLBACK, SET and the naming of the workspace: they touch no page and travel with others. */
  readonly frames: number
  /** Transactions that wrote: each took an id. */
  readonly commits: number
  readonly pages: number
  readonly walBytes: number
}

/** One statement as the database knows it, per operation. */
export type Line = { readonly text: string; readonly calls: number; readonly pages: number }

export type Counted = Count & { readonly lines: readonly Line[] }

export type Meter = {
  /** Runs `body`, which does that many operations, and gives what one of them cost on average. */
  count(operations: number, body: () => Promise<void>): Promise<Counted>
  close(): Promise<void>
}

const frame = /^(begin|commit|rollback|set |select set_config\()/i

/** Counts what happens in the database of `url`, from another one, so that counting does not count itself. */
export async function openMeter(url: string): Promise<Meter> {
  const database = new URL(url).pathname.slice(1)
  const client = new Client({ connectionString: Object.assign(new URL(url), { pathname: '/postgres' }).href })
  await client.connect()
  await client.query('create extension if not exists pg_stat_statements')

  return {
    async count(operations, body) {
      await client.query('select pg_stat_statements_reset()')
      const before = await readPosition(client)
      await body()
      const after = await readPosition(client)
      const lines = await readLines(client, database, operations)
      const calls = (isFrame: boolean) =>
        sum(lines.filter(({ text }) => frame.test(text) === isFrame).map((line) => line.calls))
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

type Position = { readonly transactions: number; readonly walBytes: number }

async function readPosition(client: Client): Promise<Position> {
  const { rows } = await client.query(`select pg_snapshot_xmax(pg_current_snapshot())::text as transactions,
    pg_current_wal_insert_lsn() - '0/0' as wal_bytes`)
  return { transactions: Number(rows[0].transactions), walBytes: Number(rows[0].wal_bytes) }
}

async function readLines(client: Client, database: string, operations: number): Promise<Line[]> {
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

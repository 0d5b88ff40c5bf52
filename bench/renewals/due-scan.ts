/** Measures how many pages the query for due subscriptions reads, depending on the number of idle ones. */
import {
  type CompiledQuery,
  type DatabaseConnection,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
} from 'kysely'
import type { Client } from 'pg'
import { advanceSubscriptionsWork } from '../../packages/server/src/domains/billing/subscriptions/work.ts'
import { type Id, uuidOf } from '../../packages/server/src/kernel/id.ts'
import type { DB } from '../../packages/server/src/platform/db/tables.generated.ts'
import { reconcilerDefaults } from '../../packages/server/src/platform/engine/reconcile.ts'
import { insertSubscriptions } from '../../packages/server/test/flows/support/insert-subscriptions.ts'
import { uuidAt } from '../fill.ts'
import { table } from '../table.ts'
import type { RenewalEnvironment } from './environment.ts'

export type Scan = {
  readonly idle: number
  readonly due: number
  readonly buffers: number
  readonly ms: number
}

const dueCount = 1_000
const someIdle = 10_000

/** Measures with no, some and many idle subscriptions, first while none is due and then while some are. */
export async function measureDueScan(bench: RenewalEnvironment, manyIdle: number): Promise<Scan[]> {
  const { workspaceId } = await bench.newWorkspace('live', 'Measured')
  const dueAt = new Date(Math.floor(Date.now() / 1000) * 1000)
  const scans: Scan[] = []
  const measure = async (due: number) => {
    for (const { from, to } of [
      { from: 0, to: 0 },
      { from: 0, to: someIdle },
      { from: someIdle, to: manyIdle },
    ]) {
      await bench.asOwner((client) => fillIdle(client, workspaceId, { from, to }))
      scans.push({ idle: to, due, ...(await bench.asOwner(explainDue)) })
    }
  }
  await measure(0)
  await bench.asOwner((client) => client.query('truncate subscriptions cascade'))
  await bench.asOwner((client) =>
    insertSubscriptions(client, { workspaceId, subscriptions: dueCount, dueAt, card: null }),
  )
  await measure(dueCount)
  return scans
}

type NumberRange = { readonly from: number; readonly to: number }

/** Creates idle subscriptions whose renewals are spread over the next month. */
async function fillIdle(
  client: Client,
  workspaceId: Id<'workspace'>,
  { from, to }: NumberRange,
): Promise<void> {
  await client.query(uuidAt)
  await client.query('set session_replication_role = replica')
  await client.query(
    `insert into subscriptions (workspace_id, id, status, customer_id, currency, "interval", interval_count,
       activation_policy, anchor_wish, anchor, period_epoch, period_index, period_start_at, period_end_at,
       period_nominal_start_at, period_invoice_id, accounted_at, started_at, next_action_at, created_at, updated_at)
     select $1, id, 'active', id, 'usd', 'month', 1, 'on_payment', '{"dayOfMonth": null, "timeZone": "UTC"}',
       '{"date": "2027-01-01", "day": 1, "time": "00:00:00", "timeZone": "UTC", "epoch": 0}', 0, 0, starts, ends,
       starts, id, starts, starts, ends, starts, starts
     from (select pg_temp.uuid_at(now() - interval '1 day', n) as id, now() - interval '1 day' as starts,
       date_trunc('second', now()) + interval '1 day' + interval '29 days' * (n::float8 / $3) as ends
       from generate_series($2 + 1, $3::bigint) as n) as idle`,
    [uuidOf(workspaceId), from, to],
  )
  await client.query('set session_replication_role = origin')
}

type Plan = { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number }
type Explained = { readonly Plan: Plan; readonly 'Execution Time': number }

/** Explains the real query with the role of the server. It runs twice, so that the second run is cached. */
async function explainDue(client: Client): Promise<Pick<Scan, 'buffers' | 'ms'>> {
  await client.query('vacuum analyze subscriptions')
  let explained: Explained | undefined
  const explain = async ({ sql, parameters }: CompiledQuery) => {
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${sql}`, [...parameters])
    explained = rows[0]['QUERY PLAN'][0]
    return { rows: [] }
  }
  const db = createExplainingDatabase(explain)
  await client.query('begin; set local role switchyard_due')
  for (let run = 0; run < 2; run += 1)
    await advanceSubscriptionsWork.due(db, { from: 'database' }, reconcilerDefaults.maxQueued)
  await client.query('rollback')
  if (explained === undefined) throw new Error('No query was executed.')
  const { Plan: plan, 'Execution Time': ms } = explained
  return { buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], ms }
}

type Execute = (query: CompiledQuery) => Promise<{ rows: never[] }>

/** Explains statements instead of executing them. */
function createExplainingDatabase(execute: Execute): Kysely<DB> {
  const connection = { executeQuery: execute } as unknown as DatabaseConnection
  class ExplainingDriver extends DummyDriver {
    override async acquireConnection() {
      return connection
    }
  }
  return new Kysely<DB>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => new ExplainingDriver(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
}

export function scanTable(scans: readonly Scan[]): string {
  return table(
    ['idle subscriptions', 'due', 'buffers', 'ms'],
    scans.map(({ idle, due, buffers, ms }) => [idle, due, buffers, Math.round(ms * 100) / 100]),
  )
}

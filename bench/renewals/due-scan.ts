/** What idle subscriptions add to the look for those that are due: the pages that the real query touches. */
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
import { advanceSubscriptionsWork } from '../../packages/server/src/domains/subscriptions/work.ts'
import { type Id, uuidOf } from '../../packages/server/src/kernel/id.ts'
import type { DB } from '../../packages/server/src/platform/db/tables.generated.ts'
import { reconcilerDefaults } from '../../packages/server/src/platform/engine/reconcile.ts'
import { fillSubscriptions } from '../../packages/server/test/flows/support/renewals-fill.ts'
import { uuidAt } from '../fill.ts'
import { table } from '../table.ts'
import type { Stage } from './stage.ts'

export type Scan = {
  readonly idle: number
  readonly due: number
  readonly buffers: number
  readonly ms: number
}

const dueAtOnce = 1_000
const some = 10_000

/** With none, with some and with many idle ones; while nothing is due, and while something is. */
export async function measureDueScan(stage: Stage, most: number): Promise<Scan[]> {
  const { workspaceId } = await stage.newWorkspace('live', 'Measured')
  const dueAt = new Date(Math.floor(Date.now() / 1000) * 1000)
  const scans: Scan[] = []
  const look = async (due: number) => {
    for (const { from, to } of [
      { from: 0, to: 0 },
      { from: 0, to: some },
      { from: some, to: most },
    ]) {
      await stage.asOwner((client) => fillIdle(client, workspaceId, { from, to }))
      scans.push({ idle: to, due, ...(await stage.asOwner(explainDue)) })
    }
  }
  await look(0)
  await stage.asOwner((client) => client.query('truncate subscriptions cascade'))
  await stage.asOwner((client) =>
    fillSubscriptions(client, { workspaceId, subscriptions: dueAtOnce, dueAt, card: null }),
  )
  await look(dueAtOnce)
  return scans
}

type Numbers = { readonly from: number; readonly to: number }

/** They renew one after the other within the next month. */
async function fillIdle(client: Client, workspaceId: Id<'workspace'>, { from, to }: Numbers): Promise<void> {
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

/** The query of the work itself, as the role that asks it. Twice: the second time all of it is in memory. */
async function explainDue(client: Client): Promise<Pick<Scan, 'buffers' | 'ms'>> {
  await client.query('vacuum analyze subscriptions')
  let explained: Explained | undefined
  const explain = async ({ sql, parameters }: CompiledQuery) => {
    const { rows } = await client.query(`explain (analyze, buffers, format json) ${sql}`, [...parameters])
    explained = rows[0]['QUERY PLAN'][0]
    return { rows: [] }
  }
  const db = explaining(explain)
  await client.query('begin; set local role switchyard_due')
  for (let turn = 0; turn < 2; turn += 1)
    await advanceSubscriptionsWork.due(db, { from: 'database' }, reconcilerDefaults.maxHeld)
  await client.query('rollback')
  if (explained === undefined) throw new Error('Nothing was asked.')
  const { Plan: plan, 'Execution Time': ms } = explained
  return { buffers: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'], ms }
}

type Execute = (query: CompiledQuery) => Promise<{ rows: never[] }>

/** Statements are explained instead of answered. */
function explaining(execute: Execute): Kysely<DB> {
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

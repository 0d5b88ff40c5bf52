/**
 * A database as it looks after some months: closed partitions and an open one, with many rows per table in the open
 * partition, all in the measured workspace.
 */
import { Client } from 'pg'
import { idFromUuid, type Kind, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { ensurePartitions } from '../../packages/server/src/platform/db/partitions.ts'
import { startSimulator } from '../../packages/simulator/src/index.ts'
import { type Filling, fillCustomers, fillEvents, fillKeys } from '../fill.ts'
import { fillNetworkAttempts, fillPayments } from '../fill-payments.ts'
import { disableSimulatorWebhooks } from '../payer.ts'
import { type ApiServer, startApiServer } from './api-server.ts'

export type Seeded = {
  readonly api: ApiServer
  readonly databaseUrl: string
  /** Ids of rows that are spread over the whole table. */
  readonly events: readonly string[]
  readonly customers: readonly string[]
  readonly payments: readonly string[]
  /** Cursors of pages deep in the list. */
  readonly deepPage: { readonly event: string; readonly customer: string; readonly payment: string }
  close(): Promise<void>
}

/**
 * Events are partitioned by month, other tables by week. Three partitions of each are created, starting at
 * these days.
 */
const daysAgo = [92, 7]
const historyRows = 3_000
const sampledIds = 200
/** Not zero: the planner picks sequential scans for an empty table, and keeps that plan when the table grows. */
const idempotencyKeys = 1_000

export async function seed(url: string, rows: number): Promise<Seeded> {
  const simulator = await startSimulator()
  const api = await startApiServer(url, { simulatorUrl: simulator.url })
  const close = async () => {
    await api.close()
    await simulator.stop()
  }
  const workspace = uuidOf(api.workspaceId)
  const client = new Client({ connectionString: url })
  await client.connect()
  // Millions of plans of nested statements would fill the log before anything is measured.
  await client.query('set auto_explain.log_min_duration = -1')
  try {
    const range = await openPartitionRange(client)
    const workspaces = [workspace]
    for (const days of daysAgo)
      await ensurePartitions((text) => client.query(text), daysBefore(range.to, days))
    await fillEvents(client, {
      rows: historyRows,
      from: daysBefore(range.month, 60),
      to: range.month,
      workspaces,
    })
    await fillCustomers(client, { rows, ...range, workspaces })
    await fillEvents(client, { rows, ...range, workspaces })
    await fillKeys(client, { rows: idempotencyKeys, ...range, workspaces })
    await fillPayments(client, { rows, ...range, workspaces })
    await fillNetworkAttempts(client, { rows, ...range, workspaces })
    await disableSimulatorWebhooks(simulator.url, url, workspace)
    await client.query('vacuum analyze')
    const events = await sampleIds(client, 'event', 'events', workspace)
    const customers = await sampleIds(client, 'customer', 'customers', workspace)
    // Ids are sorted by age, so an early id is on a late page.
    const payments = await sampleIds(client, 'payment', 'payments', workspace)
    const [event, customer, payment] = [events[100], customers[20], payments[20]] as [string, string, string]
    const deepPage = { event, customer, payment }
    return { api, databaseUrl: url, events, customers, payments, deepPage, close }
  } finally {
    await client.end()
  }
}

/** The part of the last hour that is in the month of the open partition. */
export async function openPartitionRange(
  client: Client,
): Promise<Pick<Filling, 'from' | 'to'> & { month: Date }> {
  const { rows } = await client.query(`select now() as until, date_trunc('month', now(), 'UTC') as month,
    greatest(date_trunc('month', now(), 'UTC'), now() - interval '1 hour') as since`)
  return { from: rows[0].since, to: rows[0].until, month: rows[0].month }
}

function daysBefore(date: Date, days: number): Date {
  return new Date(date.getTime() - days * 24 * 60 * 60 * 1000)
}

async function sampleIds(client: Client, kind: Kind, table: string, workspace: string): Promise<string[]> {
  const { rows } = await client.query(
    `select min(id::text) as id from (
       select id, ntile($2) over (order by id) as part from ${table} where workspace_id = $1) as tiles
     group by part order by part`,
    [workspace, sampledIds],
  )
  return rows.map((row) => idFromUuid(kind, 'test', row.id))
}

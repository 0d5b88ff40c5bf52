/**
 * A database as one finds it after some months: partitions that are closed, one that is open, and in the
 * open one so many rows a table, all of the workspace that asks.
 */
import { Client } from 'pg'
import { idFromUuid, type Kind, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { ensurePartitions } from '../../packages/server/src/platform/db/partitions.ts'
import { startSimulator } from '../../packages/simulator/src/index.ts'
import { type Filling, fillCustomers, fillEvents, fillKeys } from '../fill.ts'
import { fillNetworkAttempts, fillPayments } from '../fill-payments.ts'
import { silence } from '../payer.ts'
import { type FrontDoor, openFrontDoor } from './front-door.ts'

export type Seeded = {
  readonly door: FrontDoor
  readonly databaseUrl: string
  /** Ids of rows that lie far apart. */
  readonly events: readonly string[]
  readonly customers: readonly string[]
  readonly payments: readonly string[]
  /** Ids after which the list has come a long way. */
  readonly deepPage: { readonly event: string; readonly customer: string; readonly payment: string }
  close(): Promise<void>
}

/** Partitions of events are months, the others weeks; three of each are made from these days on. */
const daysAgo = [92, 7]
const historyRows = 3_000
const spread = 200
/** Of an empty table the planner reads everything, and goes on with that when there is more. */
const keptKeys = 1_000

export async function seed(url: string, rows: number): Promise<Seeded> {
  const simulator = await startSimulator()
  const door = await openFrontDoor(url, { simulatorUrl: simulator.url })
  const close = async () => {
    await door.close()
    await simulator.stop()
  }
  const workspace = uuidOf(door.workspaceId)
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const open = await openTime(client)
    const workspaces = [workspace]
    for (const days of daysAgo) await ensurePartitions((text) => client.query(text), before(open.to, days))
    await fillEvents(client, { rows: historyRows, from: before(open.month, 60), to: open.month, workspaces })
    await fillCustomers(client, { rows, ...open, workspaces })
    await fillEvents(client, { rows, ...open, workspaces })
    await fillKeys(client, { rows: keptKeys, ...open, workspaces })
    await fillPayments(client, { rows, ...open, workspaces })
    await fillNetworkAttempts(client, { rows, ...open, workspaces })
    await silence(simulator.url, url, workspace)
    await client.query('vacuum analyze')
    const events = await spreadIds(client, 'event', 'events', workspace)
    const customers = await spreadIds(client, 'customer', 'customers', workspace)
    // The ids come in order of age, so an early one stands on a late page.
    const payments = await spreadIds(client, 'payment', 'payments', workspace)
    const [event, customer, payment] = [events[100], customers[20], payments[20]] as [string, string, string]
    const deepPage = { event, customer, payment }
    return { door, databaseUrl: url, events, customers, payments, deepPage, close }
  } finally {
    await client.end()
  }
}

/** The last hour, as far as it lies in the month whose partition is open. */
export async function openTime(client: Client): Promise<Pick<Filling, 'from' | 'to'> & { month: Date }> {
  const { rows } = await client.query(`select now() as until, date_trunc('month', now(), 'UTC') as month,
    greatest(date_trunc('month', now(), 'UTC'), now() - interval '1 hour') as since`)
  return { from: rows[0].since, to: rows[0].until, month: rows[0].month }
}

function before(at: Date, days: number): Date {
  return new Date(at.getTime() - days * 24 * 60 * 60 * 1000)
}

async function spreadIds(client: Client, kind: Kind, table: string, workspace: string): Promise<string[]> {
  const { rows } = await client.query(
    `select min(id::text) as id from (
       select id, ntile($2) over (order by id) as part from ${table} where workspace_id = $1) as placed
     group by part order by part`,
    [workspace, spread],
  )
  return rows.map((row) => idFromUuid(kind, 'test', row.id))
}

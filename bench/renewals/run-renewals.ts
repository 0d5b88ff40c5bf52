/** Runs renewals that are due at the same time, until each has an invoice number, and is paid if requested. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { type Id, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { asOwner } from '../../packages/server/src/platform/db/owner.ts'
import { insertSubscriptions } from '../../packages/server/test/flows/support/insert-subscriptions.ts'
import {
  findChargeViolations,
  findRenewalViolations,
  readCharges,
} from '../../packages/server/test/flows/support/renewal-checks.ts'
import { startApiServer } from '../counters/api-server.ts'
import { type Counted, openMeter } from '../counters/meter.ts'
import { createSavedCard, disableSimulatorWebhooks } from '../payer.ts'
import type { Started } from '../ratios/processes.ts'
import { processMs, processTreeMs } from '../ratios/processor.ts'
import type { RenewalEnvironment } from './environment.ts'
import { causeFaults, type Faults } from './faults.ts'

export type RenewalRun = {
  readonly subscriptions: number
  readonly workers: number
  readonly kills: boolean
  /** The number of charged subscriptions. They are in a test workspace, where first attempts are not spread. */
  readonly collected: number
  /** Whether renewals of subscriptions that are not charged have tax. */
  readonly tax: boolean
}

export type RenewalResult = RenewalRun & {
  /** Seconds since the due time. */
  readonly firstSeconds: number
  readonly plannedSeconds: number
  readonly invoicedSeconds: number
  readonly paidSeconds: number | null
  readonly counted: CountedRenewals | null
  /** CPU time per renewal, by process. */
  readonly cpuMs: Readonly<Record<string, number>>
  readonly injectedFaults: Faults | null
  readonly violations: readonly string[]
}

export type CountedRenewals = Counted & { readonly slowest: readonly SlowStatement[] }

export type SlowStatement = { readonly text: string; readonly calls: number; readonly ms: number }

/** Half of the subscriptions belong to one workspace, the rest to this many others. */
const otherWorkspaces = 9
const timeoutMs = 1_800_000
const pollMs = 500

export async function runRenewals(bench: RenewalEnvironment, run: RenewalRun): Promise<RenewalResult> {
  // Start the workers before choosing the due time: on a busy machine they take longer to start than the
  // database takes to fill.
  const workers = await Promise.all(Array.from({ length: run.workers }, () => bench.startWorker()))
  await Promise.all(workers.map((worker) => worker.waitForOutput('"ready"')))
  // Late enough that the database is filled and analyzed by then.
  const dueAt = new Date(Math.ceil((Date.now() + 30_000 + run.subscriptions) / 1000) * 1000)
  const { live, test } = await fill(bench, run, dueAt)
  if (Date.now() > dueAt.getTime())
    throw new Error('Filling the database took longer than 30 s and 1 ms per subscription.')
  await sleep(dueAt.getTime() - Date.now())

  const clocks = clocksOf(bench, workers)
  const before = Object.entries(clocks).map(([name, clock]) => ({ name, clock, ms: clock() }))
  let injectedFaults: Faults | null = null
  const renewAll = async () => {
    const faults = run.kills ? causeFaults(bench, workers) : null
    await waitUntilInvoiced(bench, run.subscriptions)
    injectedFaults = (await faults?.stop()) ?? null
  }
  // A restart of Postgres resets the statistics, so do not count with kills.
  const counted = run.kills ? await renewAll().then(() => null) : await count(bench, run, renewAll)
  const cpu = before.map(({ name, clock, ms }) => [name, (clock() - ms) / run.subscriptions])
  if (test !== null) await waitUntilPaid(bench, test)
  await Promise.all(workers.map((worker) => worker.end('SIGTERM')))
  return {
    ...run,
    counted,
    injectedFaults,
    cpuMs: Object.fromEntries(cpu),
    ...(await timesOf(bench, dueAt)),
    violations: await bench.asOwner(async (client) => [
      ...(await findRenewalViolations(client, test === null ? live : [...live, test])),
      ...(run.tax ? await findUntaxed(client, live) : []),
      ...(test === null
        ? []
        : await findChargeViolations(client, [test], await readCharges(bench.simulator.url))),
    ]),
  }
}

async function findUntaxed(client: Client, workspaces: readonly Id<'workspace'>[]): Promise<string[]> {
  const text = `select count(*)::int as untaxed from invoices
    where workspace_id = any($1) and period_index = 1 and tax_total = 0`
  const { rows } = await client.query<{ untaxed: number }>(text, [workspaces.map(uuidOf)])
  const untaxed = rows[0]?.untaxed ?? 0
  return untaxed === 0 ? [] : [`${untaxed} renewals have no tax.`]
}

async function count(
  bench: RenewalEnvironment,
  { subscriptions }: RenewalRun,
  body: () => Promise<void>,
): Promise<CountedRenewals> {
  const meter = await openMeter(bench.url)
  const counted = await meter.count(subscriptions, body)
  await meter.close()
  return { ...counted, slowest: await readSlowest(bench, subscriptions) }
}

async function fill(bench: RenewalEnvironment, { subscriptions, collected, tax }: RenewalRun, dueAt: Date) {
  const live: Id<'workspace'>[] = []
  const rest = subscriptions - collected
  const share = Math.floor(rest / 2 / otherWorkspaces)
  for (let nth = 0; nth <= otherWorkspaces; nth += 1) {
    const { workspaceId } = await bench.newWorkspace('live', `Measured ${nth}`)
    const count = nth === 0 ? rest - share * otherWorkspaces : share
    await bench.asOwner(async (client) => {
      await client.query(insertSeller, [uuidOf(workspaceId), tax ? 'rates' : 'none'])
      if (tax) await client.query(insertTaxRule, [uuidOf(workspaceId), randomUUID(), randomUUID()])
      await insertSubscriptions(client, { workspaceId, subscriptions: count, dueAt, card: null })
    })
    live.push(workspaceId)
  }
  const test = collected === 0 ? null : await fillPaying(bench, collected, dueAt)
  await bench.asOwner(async (client) => {
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  })
  return { live, test }
}

/** Live invoices are finalized only if the seller has all legal fields. */
const insertSeller = `insert into sellers (workspace_id, legal_name, address, tax, updated_at)
  values ($1, 'Example Inc.', '{"line1": "1 Main Street", "city": "Dover", "country": "US"}', $2, now())`

/** A rate for all customers. */
const insertTaxRule = `
  with rate as (
    insert into tax_rates (workspace_id, id, name, percentage, category, created_at, updated_at)
    values ($1, $2, 'Tax', '19', 'S', now(), now()) returning id)
  insert into tax_rules (workspace_id, id, position, tax_rate_id, created_at) select $1::uuid, $3::uuid, 1, id, now() from rate`

async function fillPaying(
  bench: RenewalEnvironment,
  subscriptions: number,
  dueAt: Date,
): Promise<Id<'workspace'>> {
  const credentials = await bench.newWorkspace('test', 'Measured with money')
  const { workspaceId } = credentials
  const api = await startApiServer(bench.url, { credentials, simulatorUrl: bench.simulator.url })
  const card = (await createSavedCard(api.call)) as Id<'payment_method'>
  await api.close()
  await disableSimulatorWebhooks(bench.simulator.url, bench.url, uuidOf(workspaceId))
  await bench.asOwner((client) => insertSubscriptions(client, { workspaceId, subscriptions, dueAt, card }))
  return workspaceId
}

function clocksOf(
  bench: RenewalEnvironment,
  workers: readonly Started[],
): Readonly<Record<string, () => number>> {
  return {
    workers: () => workers.reduce((sum, { pid }) => sum + processMs(pid), 0),
    postgres: () => processTreeMs(bench.postgres().pid),
    nats: () => processMs(bench.nats().pid),
  }
}

/** Waits until each subscription has an invoice number for the first and for the second month. */
async function waitUntilInvoiced(bench: RenewalEnvironment, count: number): Promise<void> {
  const numbered = 'select sum(next_sequence - 1)::int as count from invoice_series'
  await waitUntil(bench, 'all invoice numbers', async () => (await queryCount(bench, numbered)) === 2 * count)
}

async function waitUntilPaid(bench: RenewalEnvironment, workspaceId: Id<'workspace'>): Promise<void> {
  const unpaid = `select count(*)::int from invoices where workspace_id = '${uuidOf(workspaceId)}' and status <> 'paid'`
  await waitUntil(bench, 'all payments', async () => (await queryCount(bench, unpaid)) === 0)
}

/** Null while the database is unavailable. */
function queryCount(bench: RenewalEnvironment, text: string): Promise<number | null> {
  return bench
    .asOwner(async (client) => (await client.query<{ count: number }>(text)).rows[0]?.count ?? null)
    .catch(() => null)
}

async function waitUntil(
  bench: RenewalEnvironment,
  description: string,
  condition: () => Promise<boolean>,
): Promise<void> {
  const deadlineMs = performance.now() + timeoutMs
  while (!(await condition())) {
    const parked = await queryCount(
      bench,
      'select count(*)::int from work_failures where parked_at is not null',
    )
    if (parked !== null && parked > 0)
      throw new Error(`${parked} work items are parked. Logs are in ${bench.folder}.`)
    if (performance.now() > deadlineMs)
      throw new Error(`Timed out waiting for ${description}. Logs are in ${bench.folder}.`)
    await sleep(pollMs)
  }
}

async function timesOf(bench: RenewalEnvironment, dueAt: Date) {
  const { rows } = await bench.asOwner((client) =>
    client.query(`select min(created_at) as first, max(created_at) as planned, max(finalized_at) as invoiced,
      max(paid_at) as paid from invoices where period_index = 1`),
  )
  const seconds = (at: Date) => (at.getTime() - dueAt.getTime()) / 1000
  const { first, planned, invoiced, paid } = rows[0]
  return {
    firstSeconds: seconds(first),
    plannedSeconds: seconds(planned),
    invoicedSeconds: seconds(invoiced),
    paidSeconds: paid === null ? null : seconds(paid),
  }
}

async function readSlowest(bench: RenewalEnvironment, operations: number): Promise<SlowStatement[]> {
  // Reads the statistics from the database of the meter.
  const { rows } = await asOwner(
    Object.assign(new URL(bench.url), { pathname: '/postgres' }).href,
    (client) =>
      client.query(`select query, calls, total_exec_time + total_plan_time as ms from pg_stat_statements
      where toplevel order by 3 desc limit 25`),
  )
  return rows.map((row) => ({
    text: row.query.replaceAll(/\s+/g, ' ').trim().slice(0, 110),
    calls: Number(row.calls) / operations,
    ms: Number(row.ms) / operations,
  }))
}

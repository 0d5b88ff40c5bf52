/** All renewals of one instant, from the moment they fall due until each has its number, and is paid if it shall be. */
import { setTimeout as sleep } from 'node:timers/promises'
import { type Id, uuidOf } from '../../packages/server/src/kernel/id.ts'
import { asOwner } from '../../packages/server/src/platform/db/owner.ts'
import {
  chargedIn,
  faultsOfCharges,
  faultsOfRenewals,
} from '../../packages/server/test/flows/support/renewals-audit.ts'
import { fillSubscriptions } from '../../packages/server/test/flows/support/renewals-fill.ts'
import { openFrontDoor } from '../counters/front-door.ts'
import { type Counted, openMeter } from '../counters/meter.ts'
import { keptCard, silence } from '../payer.ts'
import type { Started } from '../ratios/processes.ts'
import { familyMs, processMs } from '../ratios/processor.ts'
import { causeFaults, type Faults } from './faults.ts'
import type { Stage } from './stage.ts'

export type Play = {
  readonly subscriptions: number
  readonly workers: number
  readonly kills: boolean
  /** Of how many the money is taken. They are in a workspace for tests, whose first attempts are not spread. */
  readonly collected: number
}

export type Played = Play & {
  /** Seconds from the instant at which all were due. */
  readonly firstSeconds: number
  readonly plannedSeconds: number
  readonly invoicedSeconds: number
  readonly paidSeconds: number | null
  readonly counted: Counting | null
  /** Processor time for each renewal, by whom it was used. */
  readonly cpuMs: Readonly<Record<string, number>>
  readonly caused: Faults | null
  readonly faults: readonly string[]
}

export type Counting = Counted & { readonly slowest: readonly Slow[] }

export type Slow = { readonly text: string; readonly calls: number; readonly ms: number }

/** Half of all belong to one workspace, the rest to so many others. */
const others = 9
const patienceMs = 1_800_000
const lookMs = 500

export async function play(stage: Stage, wanted: Play): Promise<Played> {
  // Filled and analyzed by then, with workers that wait.
  const dueAt = new Date(Math.ceil((Date.now() + 30_000 + wanted.subscriptions) / 1000) * 1000)
  const { live, test } = await fill(stage, wanted, dueAt)
  const workers = await Promise.all(Array.from({ length: wanted.workers }, () => stage.startWorker()))
  await Promise.all(workers.map((worker) => worker.said('"ready"')))
  if (Date.now() > dueAt.getTime()) throw new Error('Filling took longer than was thought.')
  await sleep(dueAt.getTime() - Date.now())

  const clocks = clocksOf(stage, workers)
  const before = Object.entries(clocks).map(([name, clock]) => ({ name, clock, ms: clock() }))
  let caused: Faults | null = null
  const renewing = async () => {
    const faults = wanted.kills ? causeFaults(stage, workers) : null
    await untilInvoiced(stage, wanted.subscriptions)
    caused = (await faults?.stop()) ?? null
  }
  // A restart of Postgres would spoil the count.
  const counted = wanted.kills ? await renewing().then(() => null) : await count(stage, wanted, renewing)
  const cpu = before.map(({ name, clock, ms }) => [name, (clock() - ms) / wanted.subscriptions])
  if (test !== null) await untilPaid(stage, test)
  await Promise.all(workers.map((worker) => worker.end('SIGTERM')))
  return {
    ...{ ...wanted, counted, caused, cpuMs: Object.fromEntries(cpu) },
    ...(await timesOf(stage, dueAt)),
    faults: await stage.asOwner(async (client) => [
      ...(await faultsOfRenewals(client, test === null ? live : [...live, test])),
      ...(test === null ? [] : await faultsOfCharges(client, [test], await chargedIn(stage.simulator.url))),
    ]),
  }
}

async function count(stage: Stage, { subscriptions }: Play, body: () => Promise<void>): Promise<Counting> {
  const meter = await openMeter(stage.url)
  const counted = await meter.count(subscriptions, body)
  await meter.close()
  return { ...counted, slowest: await readSlowest(stage, subscriptions) }
}

async function fill(stage: Stage, { subscriptions, collected }: Play, dueAt: Date) {
  const live: Id<'workspace'>[] = []
  const rest = subscriptions - collected
  const share = Math.floor(rest / 2 / others)
  for (let made = 0; made <= others; made += 1) {
    const { workspaceId } = await stage.newWorkspace('live', `Measured ${made}`)
    const count = made === 0 ? rest - share * others : share
    await stage.asOwner((client) =>
      fillSubscriptions(client, { workspaceId, subscriptions: count, dueAt, card: null }),
    )
    live.push(workspaceId)
  }
  const test = collected === 0 ? null : await fillPaying(stage, collected, dueAt)
  await stage.asOwner(async (client) => {
    await client.query('vacuum analyze')
    await client.query('checkpoint')
  })
  return { live, test }
}

async function fillPaying(stage: Stage, subscriptions: number, dueAt: Date): Promise<Id<'workspace'>> {
  const known = await stage.newWorkspace('test', 'Measured with money')
  const { workspaceId } = known
  const door = await openFrontDoor(stage.url, { known, simulatorUrl: stage.simulator.url })
  const card = (await keptCard(door.call)) as Id<'payment_method'>
  await door.close()
  await silence(stage.simulator.url, stage.url, uuidOf(workspaceId))
  await stage.asOwner((client) => fillSubscriptions(client, { workspaceId, subscriptions, dueAt, card }))
  return workspaceId
}

function clocksOf(stage: Stage, workers: readonly Started[]): Readonly<Record<string, () => number>> {
  return {
    workers: () => workers.reduce((sum, { pid }) => sum + processMs(pid), 0),
    postgres: () => familyMs(stage.postgres().pid),
    nats: () => processMs(stage.nats().pid),
  }
}

/** Each series has given a number for the first month of all, and then one for the second. */
async function untilInvoiced(stage: Stage, count: number): Promise<void> {
  const numbered = 'select sum(next_sequence - 1)::int as count from invoice_series'
  await until(stage, 'all are numbered', async () => (await ask(stage, numbered)) === 2 * count)
}

async function untilPaid(stage: Stage, workspaceId: Id<'workspace'>): Promise<void> {
  const unpaid = `select count(*)::int from invoices where workspace_id = '${uuidOf(workspaceId)}' and status <> 'paid'`
  await until(stage, 'all are paid', async () => (await ask(stage, unpaid)) === 0)
}

/** While the database is away nothing is known. */
function ask(stage: Stage, text: string): Promise<number | null> {
  return stage
    .asOwner(async (client) => (await client.query<{ count: number }>(text)).rows[0]?.count ?? null)
    .catch(() => null)
}

async function until(stage: Stage, what: string, holds: () => Promise<boolean>): Promise<void> {
  const untilMs = performance.now() + patienceMs
  while (!(await holds())) {
    const parked = await ask(stage, 'select count(*)::int from work_failures where parked_at is not null')
    if (parked !== null && parked > 0)
      throw new Error(`${parked} were given up by workers, see ${stage.folder}.`)
    if (performance.now() > untilMs) throw new Error(`It never came to this: ${what}, in ${stage.folder}.`)
    await sleep(lookMs)
  }
}

async function timesOf(stage: Stage, dueAt: Date) {
  const { rows } = await stage.asOwner((client) =>
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

async function readSlowest(stage: Stage, operations: number): Promise<Slow[]> {
  // From where the meter keeps its figures.
  const { rows } = await asOwner(
    Object.assign(new URL(stage.url), { pathname: '/postgres' }).href,
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

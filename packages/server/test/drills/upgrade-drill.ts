// A rolling upgrade and its way back, as the guide docs/operations/upgrade.md tells it: migrate, start the new
// processes, let the old ones drain; later the old ones again, on the new schema. Callers are at it all the time, with
// the SDK of the older version, and nothing they were told may be missing.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Switchyard } from '@switchyard/sdk'
import type { Client } from 'pg'
import { freePort } from '../../../../scripts/services/ports.ts'
import { type Postgres, startPostgres } from '../../../../scripts/services/postgres.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { until } from '../flows/support/wait.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { type Backend, type Balancer, startBalancer } from './balancer.ts'
import { chargedTwice, compareBooks, contradictionsIn, countRows, factsAt, forgotten } from './books.ts'
import { type Crowd, gatherCrowd } from './crowd.ts'
import { type House, openHouse, runCommand } from './house.ts'
import { type Arrived, addReceiver, allArrived } from './receiver.ts'
import { findVersions, type Version, type Versions } from './versions.ts'

export type UpgradeDrill = {
  readonly from: 'history' | 'made up'
  /** How many of each version, each with API and worker. */
  readonly processes: number
  /** How long callers are at it in each phase. */
  readonly seconds: number
  readonly perSecond: number
  readonly subscriptions: number
  readonly settings: Readonly<Record<string, string>>
}

export type Phase = {
  readonly phase: string
  readonly ms: number
  readonly calls: number
  /** Tries without a success, by their status; 0: no answer. */
  readonly unlucky: Readonly<Record<string, number>>
  readonly slowestMs: number
}

export type UpgradeReport = {
  readonly between: string
  readonly phases: readonly Phase[]
  readonly drainsMs: readonly number[]
  readonly acknowledged: number
  readonly rows: Readonly<Record<string, number>>
  readonly arrived: Arrived
  readonly faults: readonly string[]
}

type Running = { readonly server: ServerProcess; readonly backend: Backend }

type Stage = {
  readonly house: House
  readonly postgres: Postgres
  readonly balancer: Balancer
  readonly versions: Versions
  readonly drill: UpgradeDrill
  readonly drainsMs: number[]
  readonly faults: string[]
}

export async function drillUpgrade(drill: UpgradeDrill): Promise<UpgradeReport> {
  const house = await openHouse()
  const postgres = await startPostgres({ dataDir: join(house.folder, 'postgres'), settings: drill.settings })
  const balancer = await startBalancer(house.port)
  try {
    const versions = findVersions(house.folder, drill.from)
    return await play({ house, postgres, balancer, versions, drill, drainsMs: [], faults: [] })
  } finally {
    await balancer.close()
    await house.clear()
    await postgres.stop('immediate')
  }
}

async function play(stage: Stage): Promise<UpgradeReport> {
  const { house, postgres, versions, drill, drainsMs, faults } = stage
  const environment = house.environment(postgres.url)
  await mustSucceed(runCommand(['migrate'], environment, versions.older.main))
  const token = await newWorkspaceOf(versions.older, environment)
  const old = await startAll(stage, versions.older)
  await addReceiver(house, token)
  const { Switchyard: sdk } = (await import(versions.older.sdk)) as { Switchyard: typeof Switchyard }
  const crowd = await gatherCrowd({ ...drill, address: house.address, token, sdk })
  const { phases, phase } = watch(crowd, drill)
  await phase('the older version alone', async () => {})
  // Twice at once, as from two machines that are rolled out together.
  const migrateNewer = () => mustSucceed(runCommand(['migrate'], environment, versions.newer.main))
  await phase('migrate', () => Promise.all([migrateNewer(), migrateNewer()]))
  const fresh = await phase('start the newer version beside it', () => startAll(stage, versions.newer))
  await phase('drain the older version', () => drain(stage, old))
  const again = await phase('the way back: start the older version', () => startAll(stage, versions.older))
  await phase('drain the newer version', () => drain(stage, fresh))
  await crowd.stop()
  const judged = await asOwner(postgres.url, (client) => judge(stage, client, crowd))
  await drain(stage, again)
  return {
    between: versions.between,
    phases,
    drainsMs,
    ...judged,
    faults: [...judged.faults, ...faults],
  }
}

async function mustSucceed(
  saying: Promise<{ readonly code: number; readonly out: string }>,
): Promise<string> {
  const { code, out } = await saying
  if (code !== 0) throw new Error(out)
  return out
}

async function newWorkspaceOf(version: Version, environment: Record<string, string>): Promise<string> {
  const command = ['setup', '--email', 'operator@example.com']
  const quiet = { ...environment, LOG_LEVEL: 'error' }
  const { tokens } = JSON.parse(await mustSucceed(runCommand(command, quiet, version.main)))
  return tokens.test
}

/** Each phase goes on for a while after what is done in it, so that its effects are seen in it. */
function watch(crowd: Crowd, { seconds }: UpgradeDrill) {
  const phases: Phase[] = []
  const phase = async <T>(name: string, act: () => Promise<T>): Promise<T> => {
    const [calls, before, startedMs] = [crowd.calls(), new Map(crowd.unlucky), performance.now()]
    const done = await act()
    const ms = performance.now() - startedMs
    await sleep(seconds * 1000)
    const unlucky = [...crowd.unlucky].map(([status, count]) => [status, count - (before.get(status) ?? 0)])
    phases.push({
      ...{ phase: name, ms, calls: crowd.calls() - calls },
      unlucky: Object.fromEntries(unlucky.filter(([, count]) => count !== 0)),
      slowestMs: Math.max(0, ...crowd.durationsMs.slice(calls)),
    })
    return done
  }
  return { phases, phase }
}

function startAll(stage: Stage, version: Version): Promise<Running[]> {
  return Promise.all(Array.from({ length: stage.drill.processes }, () => startOne(stage, version)))
}

async function startOne({ house, postgres, balancer }: Stage, { main }: Version): Promise<Running> {
  const [port, opsPort] = [await freePort(), await freePort()]
  const listen = { TEST_LISTEN: `127.0.0.1:${port}`, OPS_LISTEN: `127.0.0.1:${opsPort}` }
  const server = await house.start('all', { ...house.environment(postgres.url), ...listen }, main)
  const backend = { port, readyUrl: `http://127.0.0.1:${opsPort}/readyz` }
  balancer.add(backend)
  await balancer.ready(backend)
  return { server, backend }
}

const errorLevel = 50

/** One after the other. Each says first that it leaves, and ends well. */
async function drain({ balancer, drainsMs, faults }: Stage, running: readonly Running[]): Promise<void> {
  for (const { server, backend } of running) {
    const startedMs = performance.now()
    const ending = await server.kill('SIGTERM')
    drainsMs.push(performance.now() - startedMs)
    if (ending !== 0) faults.push(`a process that was asked to stop ended with ${ending}`)
    if (!balancer.sawLeaving(backend)) faults.push('a process stopped without saying so before')
    faults.push(...server.lines.filter((line) => JSON.parse(line).level >= errorLevel))
  }
}

const underWay = `select count(*)::int as count from operations
  where status in ('sending', 'pending', 'unknown', 'awaiting_customer')`

async function judge({ house }: Stage, client: Client, crowd: Crowd) {
  const isIdle = async () => (await client.query(underWay)).rows[0].count === 0
  await until('nothing is open', isIdle, { withinMs: 90_000, everyMs: 250 })
  const arrived = await allArrived(house, client, 60_000)
  const facts = await factsAt(house.simulatorUrl, client)
  const { unknownHere, unknownThere, unlike } = await compareBooks(client, facts)
  return {
    acknowledged: crowd.acknowledged.length,
    rows: await countRows(client),
    arrived,
    faults: [
      ...crowd.failures,
      ...(await forgotten(client, crowd.acknowledged)).map(({ fault }) => fault),
      ...(await contradictionsIn(client)),
      ...unknownHere.map(({ fact, reference }) => `${fact} ${reference} is in the provider's books alone`),
      ...unknownThere.map((reference) => `${reference} is in our books alone`),
      ...[...unlike, ...chargedTwice(facts), ...arrived.missing, ...arrived.refused],
    ],
  }
}

// A rolling upgrade and its rollback, as described in docs/operations/upgrade.md: migrate, start the new
// processes, drain the old ones; later start the old ones again, on the new schema. Callers use the SDK of
// the older version throughout, and every acknowledged object must exist at the end.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Switchyard } from '@switchyard/sdk'
import type { Client } from 'pg'
import { freePort } from '../../../../scripts/services/ports.ts'
import { type Postgres, startPostgres } from '../../../../scripts/services/postgres.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { until } from '../flows/support/wait.ts'
import type { ServerProcess } from '../support/server-process.ts'
import {
  countRows,
  fetchLedger,
  findInconsistencies,
  findLedgerViolations,
  findLostObjects,
  isIdle,
} from './database-checks.ts'
import { type DrillInstallation, findLoggedErrors, runCommand, startInstallation } from './installation.ts'
import { type Backend, type Balancer, startBalancer } from './load-balancer.ts'
import { type LoadGenerator, startLoad } from './load-generator.ts'
import { type DeliveryReport, registerReceiver, waitForDeliveries } from './receiver.ts'
import { findVersions, type Version, type Versions } from './versions.ts'

export type UpgradeDrill = {
  readonly from: 'history' | 'made-up'
  /** The number of processes of each version, each with API and worker. */
  readonly processes: number
  /** How long the load runs in each phase. */
  readonly seconds: number
  readonly perSecond: number
  readonly subscriptions: number
  readonly settings: Readonly<Record<string, string>>
}

export type Phase = {
  readonly phase: string
  readonly ms: number
  readonly calls: number
  /** Failed attempts by status; 0: no response. */
  readonly failedAttempts: Readonly<Record<string, number>>
  readonly slowestMs: number
}

export type UpgradeReport = {
  readonly description: string
  readonly phases: readonly Phase[]
  readonly drainsMs: readonly number[]
  readonly acknowledged: number
  readonly rows: Readonly<Record<string, number>>
  readonly deliveries: DeliveryReport
  readonly violations: readonly string[]
}

type RunningProcess = { readonly server: ServerProcess; readonly backend: Backend }

type UpgradeContext = {
  readonly installation: DrillInstallation
  readonly postgres: Postgres
  readonly balancer: Balancer
  readonly versions: Versions
  readonly drill: UpgradeDrill
  readonly drainsMs: number[]
  readonly violations: string[]
}

export async function drillUpgrade(drill: UpgradeDrill): Promise<UpgradeReport> {
  const installation = await startInstallation()
  const postgres = await startPostgres({
    dataDir: join(installation.folder, 'postgres'),
    settings: drill.settings,
  })
  const balancer = await startBalancer(installation.port)
  try {
    const versions = findVersions(installation.folder, drill.from)
    return await runUpgrade({
      installation,
      postgres,
      balancer,
      versions,
      drill,
      drainsMs: [],
      violations: [],
    })
  } finally {
    await balancer.close()
    await installation.clear()
    await postgres.stop('immediate')
  }
}

async function runUpgrade(context: UpgradeContext): Promise<UpgradeReport> {
  const { installation, postgres, versions, drill, drainsMs, violations } = context
  const environment = installation.environment(postgres.url)
  await mustSucceed(runCommand(['migrate'], environment, versions.older.main))
  const token = await createWorkspace(versions.older, environment)
  const older = await startAll(context, versions.older)
  await registerReceiver(installation, token)
  const { Switchyard: sdk } = (await import(versions.older.sdk)) as { Switchyard: typeof Switchyard }
  const load = await startLoad({ ...drill, address: installation.address, token, sdk })
  const { phases, phase } = measurePhases(load, drill)
  await phase('the older version alone', async () => {})
  // Twice concurrently, as from two machines that are deployed together.
  const migrateNewer = () => mustSucceed(runCommand(['migrate'], environment, versions.newer.main))
  await phase('migrate', () => Promise.all([migrateNewer(), migrateNewer()]))
  const newer = await phase('start the newer version alongside', () => startAll(context, versions.newer))
  await phase('drain the older version', () => drain(context, older))
  const olderAgain = await phase('roll back: start the older version', () =>
    startAll(context, versions.older),
  )
  await phase('drain the newer version', () => drain(context, newer))
  await load.stop()
  const checked = await asOwner(postgres.url, (client) => checkUpgraded(context, client, load))
  await drain(context, olderAgain)
  const differences = await backfillAndVerify(context, environment)
  return {
    description: versions.description,
    phases,
    drainsMs,
    ...checked,
    violations: [...checked.violations, ...violations, ...differences],
  }
}

/**
 * Upgrades again, and starts the backfill, as an operator does after a rollback. The pause between passes is
 * skipped, because no older process is running. Returns the differences between the ledger and the objects.
 */
async function backfillAndVerify(
  context: UpgradeContext,
  environment: Record<string, string>,
): Promise<readonly string[]> {
  const { main } = context.versions.newer
  const newer = await startAll(context, context.versions.newer)
  await mustSucceed(runCommand(['backfill-ledger'], environment, main))
  await asOwner(context.postgres.url, (client) =>
    until('the ledger is complete', () => skipPauses(client), { withinMs: 90_000, everyMs: 250 }),
  )
  await drain(context, newer)
  const { code, out } = await runCommand(['verify-ledger'], environment, main)
  return code === 0 ? [] : out.split('\n').filter((line) => line !== '')
}

/** Skips the pauses between passes. Returns whether the backfill of all workspaces is done. */
async function skipPauses(client: Client): Promise<boolean> {
  const { rows } = await client.query(`update ledger_backfills
    set due_at = now(), created_at = now() - interval '1 day' where done_at is null returning id`)
  return rows.length === 0
}

async function mustSucceed(
  result: Promise<{ readonly code: number; readonly out: string }>,
): Promise<string> {
  const { code, out } = await result
  if (code !== 0) throw new Error(out)
  return out
}

async function createWorkspace(version: Version, environment: Record<string, string>): Promise<string> {
  const command = ['setup', '--email', 'operator@example.com']
  const quiet = { ...environment, LOG_LEVEL: 'error' }
  const { tokens } = JSON.parse(await mustSucceed(runCommand(command, quiet, version.main)))
  return tokens.test
}

/** Each phase continues for a while after its action, so that its effects are measured in that phase. */
function measurePhases(load: LoadGenerator, { seconds }: UpgradeDrill) {
  const phases: Phase[] = []
  const phase = async <T>(name: string, action: () => Promise<T>): Promise<T> => {
    const [calls, before, startedMs] = [load.calls(), new Map(load.failedAttempts), performance.now()]
    const result = await action()
    const ms = performance.now() - startedMs
    await sleep(seconds * 1000)
    const failedAttempts = [...load.failedAttempts].map(([status, count]) => [
      status,
      count - (before.get(status) ?? 0),
    ])
    phases.push({
      phase: name,
      ms,
      calls: load.calls() - calls,
      failedAttempts: Object.fromEntries(failedAttempts.filter(([, count]) => count !== 0)),
      slowestMs: Math.max(0, ...load.durationsMs.slice(calls)),
    })
    return result
  }
  return { phases, phase }
}

function startAll(context: UpgradeContext, version: Version): Promise<RunningProcess[]> {
  return Promise.all(Array.from({ length: context.drill.processes }, () => startProcess(context, version)))
}

async function startProcess(
  { installation, postgres, balancer }: UpgradeContext,
  { main }: Version,
): Promise<RunningProcess> {
  const [port, opsPort] = [await freePort(), await freePort()]
  const listen = { TEST_LISTEN: `127.0.0.1:${port}`, OPS_LISTEN: `127.0.0.1:${opsPort}` }
  const server = await installation.start(
    'all',
    { ...installation.environment(postgres.url), ...listen },
    main,
  )
  const backend = { port, readyUrl: `http://127.0.0.1:${opsPort}/readyz` }
  balancer.add(backend)
  await balancer.waitUntilReady(backend)
  return { server, backend }
}

/** Stops the processes one after the other. Each must report that it is draining, and then exit with 0. */
async function drain(
  { balancer, drainsMs, violations }: UpgradeContext,
  running: readonly RunningProcess[],
): Promise<void> {
  for (const { server, backend } of running) {
    const startedMs = performance.now()
    const exitCode = await server.kill('SIGTERM')
    drainsMs.push(performance.now() - startedMs)
    if (exitCode !== 0) violations.push(`a process exited with ${exitCode} after SIGTERM`)
    if (!balancer.sawDraining(backend))
      violations.push('a process stopped without reporting that it was draining')
    violations.push(...findLoggedErrors(server))
  }
}

async function checkUpgraded({ installation }: UpgradeContext, client: Client, load: LoadGenerator) {
  await until('no operation is open', () => isIdle(client), { withinMs: 90_000, everyMs: 250 })
  const deliveries = await waitForDeliveries(installation, client, 60_000)
  const entries = await fetchLedger(installation.simulatorUrl, client)
  return {
    acknowledged: load.acknowledged.length,
    rows: await countRows(client),
    deliveries,
    violations: [
      ...load.failures,
      ...(await findLostObjects(client, load.acknowledged)).map(({ violation }) => violation),
      ...(await findInconsistencies(client)),
      ...(await findLedgerViolations(client, entries)),
      ...deliveries.missing,
      ...deliveries.rejected,
    ],
  }
}

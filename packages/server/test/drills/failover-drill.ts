// One failover under load: two API processes and a worker use a PostgreSQL cluster, clients pay, refund and renew
// subscriptions, and the primary fails. Afterwards every acknowledged write must exist, the provider's ledger must equal
// the database, and every event must have been delivered.

import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'
import { freePort } from '../../../../scripts/services/ports.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { until } from '../flows/support/wait.ts'
import type { ServerProcess } from '../support/server-process.ts'
import {
  fetchLedger,
  findDoubleCharges,
  findInconsistencies,
  findLedgerViolations,
  findLostObjects,
  isIdle,
} from './database-checks.ts'
import {
  type Fault,
  type FaultName,
  faults,
  maxPromotionSeconds,
  maxRecoverySeconds,
} from './failover-faults.ts'
import {
  type DrillInstallation,
  findLoggedErrors,
  newWorkspace,
  runCommand,
  startInstallation,
} from './installation.ts'
import { type Balancer, startBalancer } from './load-balancer.ts'
import { type Acknowledged, type LoadGenerator, startLoad } from './load-generator.ts'
import { type ClusterNode, type PostgresCluster, password } from './postgres-cluster.ts'
import { type DeliveryReport, registerReceiver, waitForDeliveries } from './receiver.ts'

export type FailoverDrill = {
  /** How long the load runs before the fault, after the failover, and after the repair. */
  readonly seconds: number
  readonly perSecond: number
  readonly subscriptions: number
}

export type FailoverReport = {
  readonly fault: FaultName
  readonly promotedMs: number
  /** The longest time without a successful write. */
  readonly silenceMs: number
  /** The time from the repair to the next successful write. */
  readonly recoveryMs: number
  /** The load average of the machine during the last minute, measured when the drill ended. */
  readonly machineLoad: number
  readonly acknowledged: number
  readonly lost: number
  readonly doubleCharges: number
  /** Failed attempts by status; 0: no response. The calls were retried. */
  readonly failedAttempts: Readonly<Record<string, number>>
  readonly failedCalls: number
  /** The longest call including its retries. */
  readonly slowestCallMs: number
  readonly deliveries: DeliveryReport
  readonly violations: readonly string[]
}

export type FailoverInstallation = {
  run(fault: FaultName, drill: FailoverDrill): Promise<FailoverReport>
  /** What `doctor` reports; null if every check passes. */
  findFailedChecks(): Promise<string | null>
  stop(): Promise<void>
}

type FailoverContext = {
  readonly installation: DrillInstallation
  readonly cluster: PostgresCluster
  readonly token: string
  readonly servers: readonly ServerProcess[]
  /** Violations of earlier runs, which the comparisons of the whole database find again. */
  readonly known: Set<string>
}

const database = 'switchyard'

/** Starts two API processes and a worker, which all faults of a drill share. */
export async function installOn(cluster: PostgresCluster): Promise<FailoverInstallation> {
  await createDatabase(cluster)
  const installation = await startInstallation()
  const balancer = await startBalancer(installation.port)
  const environment = installation.environment(cluster.url(database, database))
  const migrated = await runCommand(['migrate'], environment)
  if (migrated.code !== 0) throw new Error(migrated.out)
  const token = await newWorkspace(environment)
  const servers = [
    await startApi(installation, balancer, environment),
    await startApi(installation, balancer, environment),
    await installation.start('worker', environment),
  ]
  await registerReceiver(installation, token)
  const context = { installation, cluster, token, servers, known: new Set<string>() }
  return {
    run: (fault, drill) => drillFailover(context, fault, drill),
    async findFailedChecks() {
      const { code, out } = await runCommand(['doctor'], environment)
      return code === 0 ? null : out
    },
    async stop() {
      await balancer.close()
      await installation.clear()
    },
  }
}

/** Creates the database, owned by a user without superuser privileges. */
async function createDatabase(cluster: PostgresCluster): Promise<void> {
  await asOwner(cluster.url('postgres', 'postgres'), async (client) => {
    await client.query(`create role ${database} login createrole password '${password}'`)
    await client.query(`grant pg_monitor to ${database}`)
    await client.query(`create database ${database} owner ${database}`)
  })
}

async function startApi(
  installation: DrillInstallation,
  balancer: Balancer,
  environment: Record<string, string>,
): Promise<ServerProcess> {
  const [port, opsPort] = [await freePort(), await freePort()]
  const listen = { TEST_LISTEN: `127.0.0.1:${port}`, OPS_LISTEN: `127.0.0.1:${opsPort}` }
  const server = await installation.start('api', { ...environment, ...listen })
  const backend = { port, readyUrl: `http://127.0.0.1:${opsPort}/readyz` }
  balancer.add(backend)
  await balancer.waitUntilReady(backend)
  return server
}

async function drillFailover(
  context: FailoverContext,
  name: FaultName,
  drill: FailoverDrill,
): Promise<FailoverReport> {
  const { installation, cluster, token, servers, known } = context
  const fault = faults[name]
  await cluster.waitUntilHealthy()
  // A machine is replaced within 30 seconds. Retry for longer, so that every call has a definite result.
  const load = await startLoad({ ...drill, address: installation.address, token, maxRetries: 90 })
  const { faultAt, repairedAt, promotedMs } = await failOver(cluster, fault, drill)
  const stoppedAt = new Date()
  await load.stop()
  // Superusers see all rows.
  const checked = await asOwner(cluster.url('postgres', database), (client) =>
    check(installation, client, load),
  )
  const silenceMs = longestSilenceMs(load.acknowledged, faultAt, stoppedAt)
  const recoveryMs = findRecoveryMs(load.acknowledged, repairedAt)
  // A failover must not cause a 500. Errors in the log without a 500 are expected, because writes may be refused
  // during a failover.
  const internalErrors = load.failedAttempts.has(500) ? servers.flatMap(findLoggedErrors) : []
  const all = [...checked.violations, ...internalErrors]
  const violations = all.filter((violation) => !known.has(violation))
  for (const violation of violations) known.add(violation)
  return {
    fault: name,
    promotedMs,
    silenceMs,
    recoveryMs,
    machineLoad: loadavg()[0] ?? 0,
    acknowledged: load.acknowledged.length,
    failedAttempts: Object.fromEntries(load.failedAttempts),
    failedCalls: load.failures.length,
    slowestCallMs: load.slowestCallMs(),
    ...checked,
    violations: [
      ...describeTooLong('no write succeeded for', silenceMs, fault.maxSilenceSeconds),
      ...describeTooLong('another node was the primary after', promotedMs, maxPromotionSeconds),
      ...describeTooLong('after the repair, no write succeeded for', recoveryMs, maxRecoverySeconds),
      ...violations,
    ],
  }
}

/** The load continues until the cluster is healthy again, because the return of the old primary is a risk too. */
async function failOver(cluster: PostgresCluster, fault: Fault, drill: FailoverDrill) {
  await sleep(drill.seconds * 1000)
  await cluster.waitUntilHealthy()
  const old = await cluster.findPrimary()
  if (old === null) throw new Error('The cluster has no primary.')
  const faultAt = new Date()
  const injected = fault.inject(old, cluster)
  const promotedMs = await waitUntilReplaced(cluster, old)
  await injected
  await sleep(drill.seconds * 1000)
  const repairedAt = new Date()
  await fault.heal?.(old, cluster)
  await cluster.waitUntilHealthy()
  await sleep(drill.seconds * 1000)
  return { faultAt, repairedAt, promotedMs }
}

function waitUntilReplaced(cluster: PostgresCluster, old: ClusterNode): Promise<number> {
  const isReplaced = async () => {
    const primary = await cluster.findPrimary()
    return primary !== null && primary !== old
  }
  return until('another node is the primary', isReplaced, { withinMs: 120_000, everyMs: 50 })
}

// Subscriptions are only read.
const writesOf = (acknowledged: readonly Acknowledged[]) =>
  acknowledged
    .filter(({ kind }) => kind !== 'subscription')
    .map(({ acknowledgedAt }) => acknowledgedAt.getTime())

/** The longest time between two successful writes, from the fault until the load stops. */
function longestSilenceMs(acknowledged: readonly Acknowledged[], faultAt: Date, stoppedAt: Date): number {
  const times = [...writesOf(acknowledged), stoppedAt.getTime()]
    .filter((time) => time <= stoppedAt.getTime())
    .toSorted((a, b) => a - b)
  const silences = times.map((time, index) => time - (times[index - 1] ?? time))
  return Math.max(...silences.filter((_, index) => (times[index] ?? 0) > faultAt.getTime()))
}

/** The time from the repair to the next successful write. Infinite if there is none. */
function findRecoveryMs(acknowledged: readonly Acknowledged[], repairedAt: Date): number {
  return (
    Math.min(...writesOf(acknowledged).filter((time) => time > repairedAt.getTime())) - repairedAt.getTime()
  )
}

function describeTooLong(what: string, ms: number, maxSeconds: number): string[] {
  return ms <= maxSeconds * 1000
    ? []
    : [`${what} ${(ms / 1000).toFixed(1)} s, at most ${maxSeconds} s are allowed`]
}

async function check(installation: DrillInstallation, client: Client, load: LoadGenerator) {
  const open = await until('no operation is open', () => isIdle(client), {
    withinMs: 90_000,
    everyMs: 250,
  }).then(
    () => [],
    (error: Error) => [error.message],
  )
  const deliveries = await waitForDeliveries(installation, client, 60_000)
  const entries = await fetchLedger(installation.simulatorUrl, client)
  const lost = await findLostObjects(client, load.acknowledged)
  return {
    lost: lost.length,
    doubleCharges: findDoubleCharges(entries).length,
    deliveries,
    violations: [
      ...load.failures,
      ...open,
      ...lost.map(({ violation }) => violation),
      ...(await findInconsistencies(client)),
      ...(await findLedgerViolations(client, entries)),
      ...deliveries.missing,
      ...deliveries.rejected,
    ],
  }
}

// Two data shards and a control plane, each in a PostgreSQL of its own, with real processes under load. First one shard
// stops, and the other must not be affected; then the control plane stops, and payments, renewals and webhooks of both
// shards must continue. Afterwards nothing may be missing or charged twice.

import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../../../../scripts/services/ports.ts'
import { type Postgres, startPostgres } from '../../../../scripts/services/postgres.ts'
import { compose } from '../../src/compose.ts'
import { readConfig } from '../../src/config.ts'
import { idFromUuid, idMaker } from '../../src/kernel/id.ts'
import { asOwner } from '../../src/platform/db/owner.ts'
import { setUp, setUpWorkspace } from '../../src/setup.ts'
import { until } from '../flows/support/wait.ts'
import {
  fetchLedger,
  findInconsistencies,
  findLedgerViolations,
  findLostObjects,
  isIdle,
} from './database-checks.ts'
import {
  countUnavailable,
  type DrillInstallation,
  findLoggedErrors,
  runCommand,
  startInstallation,
} from './installation.ts'
import { type LoadGenerator, startLoad } from './load-generator.ts'
import { registerReceiver, waitForDeliveries } from './receiver.ts'

const shardNames = ['a', 'b'] as const
type ShardName = (typeof shardNames)[number]
type DatabaseName = ShardName | 'control'

export type ShardsDrill = {
  /** How long the load runs before the first outage, and after each. */
  readonly seconds: number
  readonly shardSeconds: number
  readonly controlSeconds: number
  /** Iterations of the load per second, the sum over both workspaces. */
  readonly perSecond: number
  readonly subscriptions: number
  readonly settings: Readonly<Record<string, string>>
  /** Called when a phase begins. */
  readonly onPhase: (phase: string) => void
}

/** What happened to the workspace of one shard in a phase. */
export type PhaseOfShard = {
  readonly phase: string
  readonly shard: ShardName
  readonly calls: number
  /** Failed attempts by status; 0: no response. The calls were retried. */
  readonly failedAttempts: Readonly<Record<string, number>>
  readonly p99Ms: number
  readonly payments: number
  readonly renewals: number
  /** Events that the receiver accepted. */
  readonly webhooks: number
}

export type SignIn = { readonly phase: string; readonly status: number; readonly detail: string | null }

export type ShardsReport = {
  readonly phases: readonly PhaseOfShard[]
  readonly signIns: readonly SignIn[]
  readonly acknowledged: Readonly<Record<ShardName, number>>
  readonly received: Readonly<Record<ShardName, number>>
  readonly violations: readonly string[]
}

type Context = {
  readonly installation: DrillInstallation
  readonly databases: Record<DatabaseName, Postgres>
  readonly drill: ShardsDrill
  readonly violations: string[]
}

type Addresses = { readonly dashboardPort: number; readonly opsUrl: string }
type Person = { readonly email: string; readonly password: string }

export async function drillShards(drill: ShardsDrill): Promise<ShardsReport> {
  const installation = await startInstallation()
  const start = (name: DatabaseName) =>
    startPostgres({ dataDir: join(installation.folder, name), settings: drill.settings })
  const databases = { control: await start('control'), a: await start('a'), b: await start('b') }
  try {
    return await runDrill({ installation, databases, drill, violations: [] })
  } finally {
    await installation.clear()
    await Promise.all(Object.values(databases).map((postgres) => postgres.stop('immediate')))
  }
}

async function runDrill(context: Context): Promise<ShardsReport> {
  const { installation, databases, violations } = context
  const environment = {
    ...installation.environment(databases.control.url),
    SHARDS: shardNames.map((name) => `${name}=${databases[name].url}`).join(','),
  }
  const migrated = await runCommand(['migrate'], environment)
  if (migrated.code !== 0) throw new Error(migrated.out)
  const { tokens, person } = await createWorkspaces(environment)
  const [dashboardPort, opsPort] = [await freePort(), await freePort()]
  const listen = {
    TEST_LISTEN: `127.0.0.1:${installation.port}`,
    DASHBOARD_LISTEN: `127.0.0.1:${dashboardPort}`,
    OPS_LISTEN: `127.0.0.1:${opsPort}`,
  }
  const servers = [
    await installation.start('api', { ...environment, ...listen }),
    await installation.start('worker', environment),
  ]
  const addresses = { dashboardPort, opsUrl: `http://127.0.0.1:${opsPort}` }
  const loads = await startLoads(context, tokens)
  const { phases, signIns } = await runPhases(context, loads, { person, ...addresses })
  await Promise.all(shardNames.map((name) => loads[name].stop()))

  const received = { a: 0, b: 0 }
  for (const name of shardNames) received[name] = await checkShard(context, name, loads[name])
  const doctor = await runCommand(['doctor'], environment)
  if (doctor.code !== 0) violations.push(`doctor: ${doctor.out}`)
  // Errors about a stopped database are expected in the log, but not an internal error of a request.
  if (shardNames.some((name) => loads[name].failedAttempts.has(500)))
    violations.push(...servers.flatMap(findLoggedErrors))
  // Says what the failed attempts of a phase were.
  if (violations.length > 0) violations.push(...servers.flatMap(countUnavailable))
  const acknowledged = { a: loads.a.acknowledged.length, b: loads.b.acknowledged.length }
  return { phases, signIns, acknowledged, received, violations }
}

/** A workspace on each shard, and a person who can sign in. */
async function createWorkspaces(environment: Record<string, string>) {
  const switchyard = compose(readConfig({ ...environment, NATS_URL: '', LOG_LEVEL: 'error' }))
  const { deps } = switchyard
  await deps.databases.loadMap()
  const email = 'operator@example.com'
  const result = await setUp(deps, { organization: 'A drill', email })
  if (result === null) throw new Error('The installation is not empty.')
  const tokens = new Map<string, string>()
  while (tokens.size < shardNames.length) {
    const organizationId = idFromUuid('organization', 'test', idMaker(new Date(), 0)())
    const created = await setUpWorkspace(deps, { organizationId, mode: 'test', name: 'A drill' })
    tokens.set(deps.databases.of(created.workspaceId).name, created.token)
  }
  await switchyard.close()
  const tokenOf = (name: ShardName) => tokens.get(name) as string
  return {
    tokens: { a: tokenOf('a'), b: tokenOf('b') },
    person: { email, password: result.password },
  }
}

const pathOf = (name: ShardName) => `/on-${name}`

async function startLoads(
  { installation, drill }: Context,
  tokens: Readonly<Record<ShardName, string>>,
): Promise<Record<ShardName, LoadGenerator>> {
  const start = async (name: ShardName) => {
    await registerReceiver(installation, tokens[name], pathOf(name))
    return startLoad({
      address: installation.address,
      token: tokens[name],
      perSecond: drill.perSecond / shardNames.length,
      subscriptions: drill.subscriptions,
      // A call to the stopped shard is repeated until the shard is back, so that every call has a definite result.
      maxRetries: 10_000,
    })
  }
  return { a: await start('a'), b: await start('b') }
}

async function runPhases(
  context: Context,
  loads: Readonly<Record<ShardName, LoadGenerator>>,
  access: Addresses & { readonly person: Person },
) {
  const { drill, violations } = context
  const phases: PhaseOfShard[] = []
  const signIns: SignIn[] = []
  const phase = async (name: string, seconds: number, during = async () => {}) => {
    drill.onPhase(name)
    const measured = await measurePhase(context, loads, name, async () => {
      await sleep(seconds * 1000)
      await during()
    })
    phases.push(...measured)
    signIns.push({ phase: name, ...(await signIn(access)) })
    return measured
  }

  await phase('everything runs', drill.seconds)
  await stopDatabase(context, 'b')
  const withoutB = await phase('shard b is stopped', drill.shardSeconds, () =>
    expectReadiness(context, access, 'b'),
  )
  await startDatabase(context, 'b')
  const acknowledged = loads.b.acknowledged.length
  await until('shard b is used again', () => loads.b.acknowledged.length > acknowledged, {
    withinMs: 120_000,
  })
  await phase('shard b runs again', drill.seconds)
  await stopDatabase(context, 'control')
  const withoutControl = await phase('the control plane is stopped', drill.controlSeconds, () =>
    expectReadiness(context, access, 'control'),
  )
  await startDatabase(context, 'control')
  await phase('the control plane runs again', drill.seconds)

  violations.push(
    ...withoutB.filter(({ shard }) => shard === 'a').flatMap(effectsOn),
    ...withoutControl.flatMap(effectsOn),
    ...signIns.flatMap(unexpectedSignIn),
  )
  return { phases, signIns }
}

/** The effects on a shard in a phase that must not affect it. */
function effectsOn({ phase, shard, failedAttempts, payments, renewals, webhooks }: PhaseOfShard): string[] {
  const failed = Object.entries(failedAttempts).map(([status, count]) => `${count} × ${status}`)
  const missing = Object.entries({ payments, renewals, webhooks }).filter(([, count]) => count === 0)
  return [
    ...failed.map((attempts) => `while ${phase}, shard ${shard} had failed attempts: ${attempts}`),
    ...missing.map(([what]) => `while ${phase}, shard ${shard} had no ${what}`),
  ]
}

async function measurePhase(
  { installation: { sink } }: Context,
  loads: Readonly<Record<ShardName, LoadGenerator>>,
  phase: string,
  body: () => Promise<void>,
): Promise<PhaseOfShard[]> {
  const readReceived = async (shard: ShardName) => (await sink.summary()).paths[pathOf(shard)]?.received ?? 0
  const readState = async (shard: ShardName) => ({
    calls: loads[shard].calls(),
    acknowledged: loads[shard].acknowledged.length,
    failed: new Map(loads[shard].failedAttempts),
    received: await readReceived(shard),
  })
  const before = { a: await readState('a'), b: await readState('b') }
  await body()
  return Promise.all(
    shardNames.map(async (shard) => {
      const [load, start] = [loads[shard], before[shard]]
      const acknowledged = load.acknowledged.slice(start.acknowledged)
      const failed = [...load.failedAttempts].map(
        ([status, count]) => [status, count - (start.failed.get(status) ?? 0)] as const,
      )
      return {
        phase,
        shard,
        calls: load.calls() - start.calls,
        failedAttempts: Object.fromEntries(failed.filter(([, count]) => count > 0)),
        p99Ms: percentile99(load.durationsMs.slice(start.calls)),
        payments: acknowledged.filter(({ kind }) => kind === 'payment').length,
        renewals: acknowledged.filter(({ kind }) => kind === 'subscription').length,
        webhooks: (await readReceived(shard)) - start.received,
      }
    }),
  )
}

function percentile99(durationsMs: readonly number[]): number {
  const sorted = durationsMs.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length * 0.99)] ?? 0
}

async function stopDatabase({ databases }: Context, name: DatabaseName): Promise<void> {
  await databases[name].stop('immediate')
}

async function startDatabase({ installation, databases, drill }: Context, name: DatabaseName): Promise<void> {
  const { port } = databases[name]
  const dataDir = join(installation.folder, name)
  databases[name] = await startPostgres({ dataDir, port, settings: drill.settings })
}

/** A load balancer must keep sending requests to the process, and the operator must see which database is missing. */
async function expectReadiness({ violations }: Context, { opsUrl }: Addresses, name: DatabaseName) {
  const response = await fetch(`${opsUrl}/readyz`)
  const { notes } = (await response.json()) as { notes: string[] }
  const isNamed = notes.some((note) => note.startsWith(`${name}: `))
  if (response.status !== 200 || !isNamed)
    violations.push(`/readyz without ${name}: ${response.status} ${notes.join(' ')}`)
}

async function signIn({
  dashboardPort,
  person,
}: {
  readonly dashboardPort: number
  readonly person: Person
}): Promise<Pick<SignIn, 'status' | 'detail'>> {
  const origin = `http://localhost:${dashboardPort}`
  const response = await fetch(`http://127.0.0.1:${dashboardPort}/session`, {
    method: 'POST',
    headers: { origin, 'content-type': 'application/json' },
    body: JSON.stringify(person),
  })
  const { detail = null } = (await response.json()) as { detail?: string }
  return { status: response.status, detail }
}

/** Without a shard, people of organizations with a workspace on it cannot sign in. The person of the drill is one of them. */
function unexpectedSignIn({ phase, status, detail }: SignIn): string[] {
  if (phase === 'shard b is stopped') return []
  const isStopped = phase === 'the control plane is stopped'
  if (isStopped ? status === 503 && detail?.includes('control plane') : status === 200) return []
  return [`while ${phase}, sign-in returned ${status}: ${detail}`]
}

/** Returns how many events the receiver has accepted. */
async function checkShard(
  { installation, databases, violations }: Context,
  name: ShardName,
  load: LoadGenerator,
): Promise<number> {
  return asOwner(databases[name].url, async (client) => {
    await until('no operation is open', () => isIdle(client), { withinMs: 120_000, everyMs: 250 })
    const deliveries = await waitForDeliveries(installation, client, 120_000, pathOf(name))
    const entries = await fetchLedger(installation.simulatorUrl, client)
    const found = [
      ...load.failures,
      ...(await findLostObjects(client, load.acknowledged)).map(({ violation }) => violation),
      ...(await findInconsistencies(client)),
      ...(await findLedgerViolations(client, entries)),
      ...deliveries.missing,
      ...deliveries.rejected,
    ]
    violations.push(...found.map((violation) => `shard ${name}: ${violation}`))
    return deliveries.received
  })
}

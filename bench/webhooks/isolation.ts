/**
 * Five hundred endpoints in 25 workspaces: one percent hangs, one percent refuses connections and one percent responds
 * with 500. Compared in turns with the same endpoints when all are healthy. Only the healthy 97 percent are measured.
 */
import type {
  Endpoint,
  WebhookWorkspace,
} from '../../packages/server/test/flows/support/webhook-workspace.ts'
import { type Quartiles, quartilesOf } from '../ratios/quartiles.ts'
import { sendBacklog } from './backlog.ts'
import { type Effort, endpointsPerWorkspace } from './effort.ts'
import type { WebhookEnvironment } from './environment.ts'
import { liveRate, measureAtRate } from './latency.ts'

const workspaceCount = 25
/** One percent of all endpoints, for each of the three kinds of failure. */
const endpointsPerFailure = (workspaceCount * endpointsPerWorkspace) / 100
/** More requests than a run sends, so that none is verified. */
const unreachableCount = 1_000_000_000

export type Health = 'all healthy' | 'three percent failing'

export type IsolationRound = { readonly perSecond: number; readonly p99Ms: number }

export type Isolation = {
  readonly rounds: Readonly<Record<Health, readonly IsolationRound[]>>
  readonly offered: number
  /** The rate with failing endpoints divided by the rate without. */
  readonly rate: Quartiles
  readonly p99: Quartiles
}

type TestEndpoints = {
  readonly workspaces: readonly WebhookWorkspace[]
  readonly hanging: readonly Endpoint[]
  readonly failing: readonly Endpoint[]
  readonly isHealthy: (path: string) => boolean
}

export async function measureIsolation(bench: WebhookEnvironment, effort: Effort): Promise<Isolation> {
  const testEndpoints = await createEndpoints(bench)
  await bench.sink.verify({ every: unreachableCount })
  const offered = await halfOfMaximum(bench, testEndpoints, effort)
  const rounds: Record<Health, IsolationRound[]> = { 'all healthy': [], 'three percent failing': [] }
  for (let round = 0; round < effort.rounds; round += 1) {
    for (const health of Object.keys(rounds) as Health[])
      rounds[health].push(await measureRound(bench, testEndpoints, { health, offered, effort }))
  }
  const ratios = (metric: keyof IsolationRound) =>
    quartilesOf(
      rounds['three percent failing'].map(
        (failing, round) => failing[metric] / (rounds['all healthy'][round]?.[metric] ?? Number.NaN),
      ),
    )
  return { rounds, offered, rate: ratios('perSecond'), p99: ratios('p99Ms') }
}

/** The failing endpoints are the first ones of some workspaces, so that their neighbours are in the same workspace. */
async function createEndpoints({ newWorkspaces, sink }: WebhookEnvironment): Promise<TestEndpoints> {
  const workspaces = await newWorkspaces(workspaceCount)
  for (const [nth, workspace] of workspaces.entries()) {
    const rejectsConnections = nth >= endpointsPerFailure && nth < 2 * endpointsPerFailure
    await workspace.addEndpoints({
      count: 1,
      secrets: false,
      urlOf: rejectsConnections ? sink.secondUrl : sink.url,
    })
    await workspace.addEndpoints({ count: endpointsPerWorkspace - 1, secrets: false })
  }
  const firstEndpoints = workspaces.map(({ endpoints }) => endpoints[0] as Endpoint)
  const failing = new Set(firstEndpoints.slice(0, 3 * endpointsPerFailure).map(({ path }) => path))
  return {
    workspaces,
    hanging: firstEndpoints.slice(0, endpointsPerFailure),
    failing: firstEndpoints.slice(2 * endpointsPerFailure, 3 * endpointsPerFailure),
    isHealthy: (path) => !failing.has(path),
  }
}

async function halfOfMaximum(
  bench: WebhookEnvironment,
  { workspaces }: TestEndpoints,
  effort: Effort,
): Promise<number> {
  const worker = await bench.startWorker()
  await liveRate(bench, workspaces, effort.liveEvents)
  const maximum = await liveRate(bench, workspaces, effort.liveEvents)
  await worker.end('SIGTERM')
  return maximum / 2
}

type RoundOptions = { readonly health: Health; readonly offered: number; readonly effort: Effort }

async function measureRound(
  bench: WebhookEnvironment,
  testEndpoints: TestEndpoints,
  { health, offered, effort }: RoundOptions,
): Promise<IsolationRound> {
  const { workspaces, isHealthy } = testEndpoints
  await setHealth(bench, testEndpoints, health)
  await Promise.all(
    workspaces.map((workspace) =>
      workspace.createCustomers({ count: effort.isolationEvents, connections: 1 }),
    ),
  )
  const healthy = workspaceCount * endpointsPerWorkspace - 3 * endpointsPerFailure
  const expected = { count: healthy * effort.isolationEvents, isCounted: isHealthy }
  const { round, worker } = await sendBacklog(bench, { expected, start: bench.startWorker })
  const { p99Ms } = await measureAtRate(bench, workspaces, {
    offered,
    forMs: effort.steadyMs,
    isCounted: isHealthy,
  })
  // Hanging requests would delay a clean shutdown for 15 seconds.
  await worker.end('SIGKILL')
  await deletePendingDeliveries(bench)
  return { perSecond: round.perSecond, p99Ms }
}

async function setHealth(
  { sink }: WebhookEnvironment,
  { hanging, failing }: TestEndpoints,
  health: Health,
): Promise<void> {
  const areFailing = health === 'three percent failing'
  const behaviourOf = (endpoints: readonly Endpoint[], kind: 'hang' | 'fail') =>
    Object.fromEntries(endpoints.map(({ path }) => [path, { kind: areFailing ? kind : 'ok' } as const]))
  await sink.setBehaviors({ ...behaviourOf(hanging, 'hang'), ...behaviourOf(failing, 'fail') })
  await sink.second({ open: !areFailing })
}

/** Removes pending deliveries, so that the next round has no retries of this one. */
async function deletePendingDeliveries({ owner }: WebhookEnvironment): Promise<void> {
  await owner.query(`update deliveries set state = 'deleted', version = version + 1 where state = 'pending'`)
  await owner.query(`update webhook_lanes set owner = null, lease_until = null, rest_until = null,
    health = 'healthy', failing_since_at = null, probe_wait_seconds = 0, failed_deliveries = 0, warnings = 0`)
}

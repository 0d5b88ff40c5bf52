/**
 * Signed deliveries per second, compared with baselines without the server on the same machine. Each round creates a
 * backlog while no worker runs; then the measured sender starts, and the times at the receiver are measured.
 */
import { resolve } from 'node:path'
import type { WebhookWorkspace } from '../../packages/server/test/flows/support/webhook-workspace.ts'
import { type Counted, openMeter } from '../counters/meter.ts'
import type { Round, Rounds } from '../ratios/compare.ts'
import { startScript } from '../ratios/processes.ts'
import { sendBacklog, waitUntilRecorded } from './backlog.ts'
import { openRows, readPendingDeliveries } from './bare-rows.ts'
import type { BareRequest } from './bare-sender.ts'
import { fillStream } from './bare-stream.ts'
import { type Effort, endpointsPerWorkspace } from './effort.ts'
import type { WebhookEnvironment } from './environment.ts'
import { statementsOf } from './statements.ts'

export type Throughput = {
  readonly rounds: Rounds
  /** Statements per delivery, including the insert, by round. */
  readonly statements: readonly number[]
}

/** Verifies one request in this many, because verification would affect the measurement. The volume run verifies all. */
const verifyEvery = 100
/** More requests than a run sends, so that none is verified. */
const unreachableCount = 1_000_000_000

export const variants = {
  switchyard: 'switchyard worker',
  oneByOne: 'undici and rows, one by one',
  inBatches: 'undici and rows, in batches',
  jetStream: 'JetStream, undici, ack',
} as const

export async function measureThroughput(bench: WebhookEnvironment, effort: Effort): Promise<Throughput> {
  const [workspace] = (await bench.newWorkspaces(1)) as [WebhookWorkspace]
  await workspace.addEndpoints({ count: endpointsPerWorkspace })
  const run = variantRuns(bench, workspace, effort.events)
  const rounds = new Map<string, Round[]>(Object.values(variants).map((name) => [name, []]))
  const statements: number[] = []
  const meter = await openMeter(bench.postgres.url)
  for (let round = 0; round < effort.rounds; round += 1) {
    const deliveries = effort.events * endpointsPerWorkspace
    const counted: Counted = await meter.count(deliveries, async () => {
      rounds.get(variants.switchyard)?.push(await run.switchyard())
    })
    statements.push(statementsOf(counted))
    rounds.get(variants.oneByOne)?.push(await run.rows('one by one'))
    rounds.get(variants.inBatches)?.push(await run.rows('batches'))
    rounds.get(variants.jetStream)?.push(await run.jetStream())
  }
  await meter.close()
  return { rounds, statements }
}

function variantRuns(bench: WebhookEnvironment, workspace: WebhookWorkspace, events: number) {
  const { folder, postgres, nats, sink } = bench
  const expected = { count: events * workspace.endpoints.length }
  const endMs = () => waitUntilRecorded(bench)
  let requests: BareRequest[] = []
  const startBare = (name: string, args: readonly string[]) =>
    startScript({ folder, name, script: resolve(import.meta.dirname, `${name}.ts`), args })
  return {
    async switchyard(): Promise<Round> {
      await workspace.createCustomers({ count: events })
      await sink.verify({ every: verifyEvery })
      const { round, worker } = await sendBacklog(bench, { expected, start: bench.startWorker, endMs })
      await worker.end('SIGTERM')
      return round
    },
    async rows(method: 'one by one' | 'batches'): Promise<Round> {
      await workspace.createCustomers({ count: events })
      await sink.verify({ every: unreachableCount })
      requests = await readRequests(postgres.url)
      const start = () => startBare('bare-rows-worker', [postgres.url, method])
      const { round, worker } = await sendBacklog(bench, { expected, start, endMs })
      await worker.end('SIGTERM')
      return round
    },
    /** The webhooks of the previous round, as messages. */
    async jetStream(): Promise<Round> {
      await fillStream(nats.url, requests)
      await sink.verify({ every: unreachableCount })
      const start = () => startBare('bare-stream-worker', [nats.url, sink.url('')])
      const { round, worker } = await sendBacklog(bench, { expected, start })
      await worker.end('SIGTERM')
      return round
    },
  }
}

async function readRequests(databaseUrl: string): Promise<BareRequest[]> {
  const pool = openRows(databaseUrl)
  const pendingDeliveries = await readPendingDeliveries(pool)
  await pool.end()
  return pendingDeliveries.map(({ url, eventId, body }) => ({ path: new URL(url).pathname, eventId, body }))
}

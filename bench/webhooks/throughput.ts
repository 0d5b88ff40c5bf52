/**
 * Signed deliveries a second beside what the same machine does without the service. Each round publishes a
 * backlog while nobody serves it; then whoever is measured starts, and the receiver's times count.
 */
import { resolve } from 'node:path'
import type { Account } from '../../packages/server/test/flows/support/webhook-account.ts'
import { type Counted, openMeter } from '../counters/meter.ts'
import type { Round, Rounds } from '../ratios/compare.ts'
import { startScript } from '../ratios/processes.ts'
import { drain, recorded } from './backlog.ts'
import { openRows, readWaiting } from './bare-rows.ts'
import type { Errand } from './bare-sender.ts'
import { fillStream } from './bare-stream.ts'
import { type Effort, endpointsPerWorkspace } from './effort.ts'
import type { Stage } from './stage.ts'
import { statementsOf } from './statements.ts'

export type Throughput = {
  readonly rounds: Rounds
  /** Statements for each delivery, the one that wrote it among them, round by round. */
  readonly statements: readonly number[]
}

/** One request in so many: the SDK's work would be measured, too. The full run verifies all of them. */
const verifiedShare = 100
const never = 1_000_000_000

export const variants = {
  switchyard: 'switchyard worker',
  oneByOne: 'undici and rows, one by one',
  inBatches: 'undici and rows, in batches',
  jetStream: 'JetStream, undici, ack',
} as const

export async function measureThroughput(stage: Stage, effort: Effort): Promise<Throughput> {
  const [account] = (await stage.newAccounts(1)) as [Account]
  await account.addEndpoints({ count: endpointsPerWorkspace })
  const play = players(stage, account, effort.events)
  const rounds = new Map<string, Round[]>(Object.values(variants).map((name) => [name, []]))
  const statements: number[] = []
  const meter = await openMeter(stage.postgres.url)
  for (let round = 0; round < effort.rounds; round += 1) {
    const deliveries = effort.events * endpointsPerWorkspace
    const counted: Counted = await meter.count(deliveries, async () => {
      rounds.get(variants.switchyard)?.push(await play.switchyard())
    })
    statements.push(statementsOf(counted))
    rounds.get(variants.oneByOne)?.push(await play.rows('one by one'))
    rounds.get(variants.inBatches)?.push(await play.rows('batches'))
    rounds.get(variants.jetStream)?.push(await play.jetStream())
  }
  await meter.close()
  return { rounds, statements }
}

function players(stage: Stage, account: Account, events: number) {
  const { folder, postgres, nats, sink } = stage
  const wanted = { count: events * account.endpoints.length }
  const untilMs = () => recorded(stage)
  let errands: Errand[] = []
  const startBare = (name: string, args: readonly string[]) =>
    startScript({ folder, name, script: resolve(import.meta.dirname, `${name}.ts`), args })
  return {
    async switchyard(): Promise<Round> {
      await account.publish({ count: events })
      await sink.verify({ every: verifiedShare })
      const { round, worker } = await drain(stage, { wanted, start: stage.startWorker, untilMs })
      await worker.end('SIGTERM')
      return round
    },
    async rows(how: 'one by one' | 'batches'): Promise<Round> {
      await account.publish({ count: events })
      await sink.verify({ every: never })
      errands = await readErrands(postgres.url)
      const start = () => startBare('bare-rows-worker', [postgres.url, how])
      const { round, worker } = await drain(stage, { wanted, start, untilMs })
      await worker.end('SIGTERM')
      return round
    },
    /** The webhooks of the round before, as messages. */
    async jetStream(): Promise<Round> {
      await fillStream(nats.url, errands)
      await sink.verify({ every: never })
      const start = () => startBare('bare-stream-worker', [nats.url, sink.url('')])
      const { round, worker } = await drain(stage, { wanted, start })
      await worker.end('SIGTERM')
      return round
    },
  }
}

async function readErrands(databaseUrl: string): Promise<Errand[]> {
  const pool = openRows(databaseUrl)
  const waiting = await readWaiting(pool)
  await pool.end()
  return waiting.map(({ url, eventId, body }) => ({ path: new URL(url).pathname, eventId, body }))
}

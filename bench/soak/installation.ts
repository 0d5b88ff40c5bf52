/**
 * The installation under load in a soak run: an API process, a worker, Postgres, NATS, the simulator, and a
 * webhook receiver with two endpoints.
 */
import { Client } from 'pg'
import {
  openWebhookWorkspace,
  type WebhookWorkspace,
} from '../../packages/server/test/flows/support/webhook-workspace.ts'
import { type Sink, startSink } from '../../packages/server/test/support/sink-process.ts'
import { createSavedCard } from '../payer.ts'
import { createSender } from '../payments/merchant.ts'
import { type BenchEnvironment, startEnvironment } from '../ratios/environment.ts'
import { mainScript, startScript } from '../ratios/processes.ts'
import { processMs, processTreeMs, residentMb, unsharedTreeMb } from '../ratios/processor.ts'

export type SoakInstallation = {
  readonly bench: BenchEnvironment
  readonly address: string
  readonly sink: Sink
  readonly webhooks: WebhookWorkspace
  /** The saved card of each customer. */
  readonly cards: readonly string[]
  readonly owner: Client
  readonly clocks: Readonly<Record<string, () => number>>
  readonly memories: Readonly<Record<string, () => number>>
  /** The age of the oldest due work, from the metrics of the worker. */
  oldestDueSeconds(): Promise<number>
  clear(): Promise<void>
}

/** The event types of each endpoint. Together they receive 1.8 deliveries per event. */
export const subscriptions: readonly (readonly string[])[] = [
  ['*'],
  ['payment.*', 'refund.*', 'invoice.created', 'invoice.paid'],
]

/** Whether one of these endpoints receives events of this type. */
export function isSubscribed(patterns: readonly string[], type: string): boolean {
  return patterns.some((pattern) =>
    pattern.endsWith('*') ? type.startsWith(pattern.slice(0, -1)) : pattern === type,
  )
}

const customers = 20
/** Verify one signature in this many, because verification uses CPU time of the measured machine. */
const verifyEvery = 100

export async function startSoakInstallation(): Promise<SoakInstallation> {
  const bench = await startEnvironment(null)
  const { folder, port, token, postgres, server, simulator, nats } = bench
  const environment = await bench.environment()
  const worker = await startScript({
    folder,
    name: 'worker',
    script: mainScript,
    args: ['worker'],
    environment,
  })
  await worker.waitForOutput('"ready"')
  const sink = await startSink(folder)
  const address = `http://127.0.0.1:${port}`
  const webhooks = openWebhookWorkspace(address, token, sink)
  await webhooks.addEndpoints({
    count: subscriptions.length,
    eventTypes: (index) => subscriptions[index] ?? [],
  })
  await sink.verify({ every: verifyEvery })
  const send = createSender(bench)
  const cards: string[] = []
  for (let nth = 0; nth < customers; nth += 1) cards.push(await createSavedCard(send))
  const owner = new Client({ connectionString: postgres.url })
  await owner.connect()
  const processes = {
    api: server,
    worker,
    nats,
    simulator: simulator.process,
    receiver: sink,
    generator: process,
  }
  const each = (read: (pid: number) => number) =>
    Object.fromEntries(Object.entries(processes).map(([name, { pid }]) => [name, () => read(pid)]))
  return {
    bench,
    address,
    sink,
    webhooks,
    cards,
    owner,
    clocks: { ...each(processMs), postgres: () => processTreeMs(postgres.pid) },
    memories: { ...each(residentMb), postgres: () => unsharedTreeMb(postgres.pid) },
    oldestDueSeconds: () => readOldestDue(`http://${environment.OPS_LISTEN}/metrics`),
    async clear() {
      await owner.end()
      await webhooks.api.close()
      await worker.end('SIGTERM')
      await sink.stop()
      await bench.clear()
    },
  }
}

async function readOldestDue(url: string): Promise<number> {
  const text = await (await fetch(url)).text()
  const ages = [...text.matchAll(/^switchyard_work_oldest_due_seconds\{.*\} (\S+)$/gm)].map(([, age]) =>
    Number(age),
  )
  return Math.max(0, ...ages)
}

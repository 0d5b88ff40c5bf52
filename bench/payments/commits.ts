/** Counts the writing transactions of a payment, including its webhooks. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { openMeter } from '../counters/meter.ts'
import type { BenchEnvironment } from '../ratios/environment.ts'
import { loadHttp } from '../ratios/http-load.ts'
import { mainScript, startScript } from '../ratios/processes.ts'
import type { TestMerchant } from './merchant.ts'

export type Commits = {
  readonly payments: number
  /** Two events per payment, to one endpoint. */
  readonly deliveries: number
  readonly perPayment: number
  readonly statementsPerPayment: number
  readonly walBytesPerPayment: number
}

const timeoutMs = 60_000

/** Closed-loop load while a worker delivers. Counting ends when all webhooks are delivered. */
export async function countCommits(
  bench: BenchEnvironment,
  { request, sink }: TestMerchant,
  { forMs, connections }: { readonly forMs: number; readonly connections: number },
): Promise<Commits> {
  const owner = new Client({ connectionString: bench.postgres.url })
  await owner.connect()
  // Remove pending deliveries of earlier rounds.
  await owner.query(`delete from deliveries where state = 'pending'`)
  const environment = await bench.environment()
  const { folder } = bench
  const worker = await startScript({
    folder,
    name: 'worker',
    script: mainScript,
    args: ['worker'],
    environment,
  })
  await worker.waitForOutput('"ready"')
  const load = (ms: number) => loadHttp({ port: bench.port, connections, forMs: ms, request })
  await load(forMs / 2)
  await waitUntilDelivered(owner)
  await sink.clear()
  const meter = await openMeter(bench.postgres.url)
  let payments = 0
  const { commits, statements, frames, walBytes } = await meter.count(1, async () => {
    payments = (await load(forMs)).operations
    await waitUntilDelivered(owner)
  })
  const { paths } = await sink.summary()
  const deliveries = Object.values(paths).reduce((sum, { received }) => sum + received, 0)
  await meter.close()
  await worker.end('SIGTERM')
  await owner.end()
  return {
    payments,
    deliveries,
    perPayment: commits / payments,
    walBytesPerPayment: walBytes / payments,
    statementsPerPayment: (statements + frames) / payments,
  }
}

export async function waitUntilDelivered(owner: Client): Promise<void> {
  const untilMs = performance.now() + timeoutMs
  for (;;) {
    const { rowCount } = await owner.query(`select from deliveries where state = 'pending' limit 1`)
    if (rowCount === 0) return
    if (performance.now() > untilMs) throw new Error('Some webhooks were not delivered.')
    await sleep(50)
  }
}

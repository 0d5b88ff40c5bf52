/** How many transactions a payment writes in all, its webhooks included. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { openMeter } from '../counters/meter.ts'
import { loadHttp } from '../ratios/http-load.ts'
import { mainScript, startScript } from '../ratios/processes.ts'
import type { Stage } from '../ratios/stage.ts'
import type { Shop } from './shop.ts'

export type Commits = {
  readonly payments: number
  /** Two events of each, to one endpoint. */
  readonly deliveries: number
  readonly perPayment: number
  readonly statementsPerPayment: number
  readonly walBytesPerPayment: number
}

const patienceMs = 60_000

/** Under load: closed loop, while a worker delivers; counted until nothing is left to deliver. */
export async function countCommits(
  stage: Stage,
  { request, sink }: Shop,
  { forMs, connections }: { readonly forMs: number; readonly connections: number },
): Promise<Commits> {
  const owner = new Client({ connectionString: stage.postgres.url })
  await owner.connect()
  // What earlier rounds left is nobody's to deliver.
  await owner.query(`delete from deliveries where state = 'pending'`)
  const environment = await stage.environment()
  const { folder } = stage
  const worker = await startScript({
    folder,
    name: 'worker',
    script: mainScript,
    args: ['worker'],
    environment,
  })
  await worker.said('"ready"')
  const load = (ms: number) => loadHttp({ port: stage.port, connections, forMs: ms, request })
  await load(forMs / 2)
  await untilDelivered(owner)
  await sink.clear()
  const meter = await openMeter(stage.postgres.url)
  let payments = 0
  const { commits, statements, frames, walBytes } = await meter.count(1, async () => {
    payments = (await load(forMs)).operations
    await untilDelivered(owner)
  })
  const { paths } = await sink.summary()
  const deliveries = Object.values(paths).reduce((sum, { received }) => sum + received, 0)
  await meter.close()
  await worker.end('SIGTERM')
  await owner.end()
  return {
    ...{ payments, deliveries, perPayment: commits / payments, walBytesPerPayment: walBytes / payments },
    statementsPerPayment: (statements + frames) / payments,
  }
}

export async function untilDelivered(owner: Client): Promise<void> {
  const untilMs = performance.now() + patienceMs
  for (;;) {
    const { rowCount } = await owner.query(`select from deliveries where state = 'pending' limit 1`)
    if (rowCount === 0) return
    if (performance.now() > untilMs) throw new Error('Some webhooks were not delivered.')
    await sleep(50)
  }
}

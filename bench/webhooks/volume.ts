/** Many events to the maximum number of endpoints of a workspace. Each arrival is verified with the SDK and counted. */
import { setTimeout as sleep } from 'node:timers/promises'
import type {
  DeliverySummary,
  WebhookWorkspace,
} from '../../packages/server/test/flows/support/webhook-workspace.ts'
import { waitUntilRecorded } from './backlog.ts'
import { type Effort, endpointsPerWorkspace } from './effort.ts'
import type { WebhookEnvironment } from './environment.ts'

export type Volume = DeliverySummary & {
  readonly events: number
  readonly endpoints: number
  readonly verified: number
  readonly publishedSeconds: number
  readonly arrivedSeconds: number
}

/** Fails if no delivery arrives for this long. */
const maxIdleMs = 60_000

export async function measureVolume(
  bench: WebhookEnvironment,
  { volumeEvents: events }: Effort,
): Promise<Volume> {
  const [workspace] = (await bench.newWorkspaces(1)) as [WebhookWorkspace]
  await workspace.addEndpoints({ count: endpointsPerWorkspace })
  await bench.sink.clear()
  await bench.sink.verify({ every: 1 })
  const worker = await bench.startWorker()
  const startedMs = performance.now()
  const secondsSince = () => (performance.now() - startedMs) / 1000
  await workspace.createCustomers({ count: events, connections: 32 })
  const publishedSeconds = secondsSince()
  await waitForAll(workspace, events * endpointsPerWorkspace)
  const arrivedSeconds = secondsSince()
  await waitUntilRecorded(bench)
  const summary = await workspace.deliverySummary()
  const { verified } = await bench.sink.summary()
  await worker.end('SIGTERM')
  return { ...summary, events, endpoints: endpointsPerWorkspace, verified, publishedSeconds, arrivedSeconds }
}

async function waitForAll(workspace: WebhookWorkspace, count: number): Promise<void> {
  let [before, sinceMs] = [0, performance.now()]
  for (;;) {
    const received = await workspace.countReceived()
    if (received >= count) return
    if (received > before) [before, sinceMs] = [received, performance.now()]
    if (performance.now() - sinceMs > maxIdleMs)
      throw new Error(`${received} of ${count} deliveries arrived.`)
    await sleep(500)
  }
}

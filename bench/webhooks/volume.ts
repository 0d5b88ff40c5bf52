/** Many events to as many endpoints as a workspace may have, each arrival verified by the SDK and accounted for. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account, Verdict } from '../../packages/server/test/flows/support/webhook-account.ts'
import { recorded } from './backlog.ts'
import { type Effort, endpointsPerWorkspace } from './effort.ts'
import type { Stage } from './stage.ts'

export type Volume = Verdict & {
  readonly events: number
  readonly endpoints: number
  readonly verified: number
  readonly publishedSeconds: number
  readonly arrivedSeconds: number
}

/** Longer than this nothing may stand still. */
const silenceMs = 60_000

export async function measureVolume(stage: Stage, { volumeEvents: events }: Effort): Promise<Volume> {
  const [account] = (await stage.newAccounts(1)) as [Account]
  await account.addEndpoints({ count: endpointsPerWorkspace })
  await stage.sink.clear()
  await stage.sink.verify({ every: 1 })
  const worker = await stage.startWorker()
  const startedMs = performance.now()
  const secondsSince = () => (performance.now() - startedMs) / 1000
  await account.publish({ count: events, connections: 32 })
  const publishedSeconds = secondsSince()
  await allArrived(account, events * endpointsPerWorkspace)
  const arrivedSeconds = secondsSince()
  await recorded(stage)
  const verdict = await account.verdict()
  const { verified } = await stage.sink.summary()
  await worker.end('SIGTERM')
  return { ...verdict, events, endpoints: endpointsPerWorkspace, verified, publishedSeconds, arrivedSeconds }
}

async function allArrived(account: Account, count: number): Promise<void> {
  let [before, sinceMs] = [0, performance.now()]
  for (;;) {
    const received = await account.countReceived()
    if (received >= count) return
    if (received > before) [before, sinceMs] = [received, performance.now()]
    if (performance.now() - sinceMs > silenceMs) throw new Error(`${received} of ${count} deliveries came.`)
    await sleep(500)
  }
}

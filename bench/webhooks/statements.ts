/** Counts the database statements for webhooks. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { WebhookWorkspace } from '../../packages/server/test/flows/support/webhook-workspace.ts'
import { type Counted, openMeter } from '../counters/meter.ts'
import type { Effort } from './effort.ts'
import type { WebhookEnvironment } from './environment.ts'

/**
 * Statements that use one of these tables count as statements for webhooks, including the statement that
 * inserts an event with its deliveries.
 */
const webhookStatement = /\b(deliveries|delivery_attempts|webhook_\w+)\b/

export function statementsOf({ lines }: Pick<Counted, 'lines'>): number {
  return lines.filter(({ text }) => webhookStatement.test(text)).reduce((sum, { calls }) => sum + calls, 0)
}

export type CountedEvents = {
  readonly perEvent: number
  readonly lines: readonly { readonly text: string; readonly calls: number }[]
}

const warmUps = 20
const recordingMs = 20

/** One endpoint, and one event at a time, so that nothing is batched. */
export async function countOneAtATime(
  bench: WebhookEnvironment,
  { countedEvents }: Effort,
): Promise<CountedEvents> {
  const [workspace] = (await bench.newWorkspaces(1)) as [WebhookWorkspace]
  await workspace.addEndpoints({ count: 1 })
  await bench.sink.verify({ every: 1 })
  const worker = await bench.startWorker()
  const meter = await openMeter(bench.postgres.url)
  let published = 0
  const deliverOneEvent = async () => {
    published += 1
    await workspace.createCustomers({ count: 1 })
    while ((await workspace.countReceived()) < published) await sleep(1)
    // Wait until the delivery is recorded and its lane is released.
    await sleep(recordingMs)
  }
  for (let turn = 0; turn < warmUps; turn += 1) await deliverOneEvent()
  const counted = await meter.count(countedEvents, async () => {
    for (let turn = 0; turn < countedEvents; turn += 1) await deliverOneEvent()
  })
  await meter.close()
  await worker.end('SIGTERM')
  const lines = counted.lines.filter(({ text }) => webhookStatement.test(text))
  return {
    perEvent: statementsOf(counted),
    lines: lines.map(({ text, calls }) => ({ text, calls })).toSorted((a, b) => b.calls - a.calls),
  }
}

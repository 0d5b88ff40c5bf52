/** What webhooks ask of the database. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Account } from '../../packages/server/test/flows/support/webhook-account.ts'
import { type Counted, openMeter } from '../counters/meter.ts'
import type { Effort } from './effort.ts'
import type { Stage } from './stage.ts'

/** Whatever names one of these tables is there for webhooks; the statement that tells of an event writes to them, too. */
const aboutWebhooks = /\b(deliveries|delivery_attempts|webhook_\w+)\b/

export function statementsOf({ lines }: Pick<Counted, 'lines'>): number {
  return lines.filter(({ text }) => aboutWebhooks.test(text)).reduce((sum, { calls }) => sum + calls, 0)
}

export type Counting = {
  readonly perEvent: number
  readonly lines: readonly { readonly text: string; readonly calls: number }[]
}

const warmUps = 20
const pauseMs = 20

/** One endpoint, and the next event only when the last is delivered: nothing can be shared. */
export async function countOneAtATime(stage: Stage, { countedEvents }: Effort): Promise<Counting> {
  const [account] = (await stage.newAccounts(1)) as [Account]
  await account.addEndpoints({ count: 1 })
  await stage.sink.verify({ every: 1 })
  const worker = await stage.startWorker()
  const meter = await openMeter(stage.postgres.url)
  let told = 0
  const tellOne = async () => {
    told += 1
    await account.publish({ count: 1 })
    while ((await account.countReceived()) < told) await sleep(1)
    // Until it is written down and the lane is let go.
    await sleep(pauseMs)
  }
  for (let turn = 0; turn < warmUps; turn += 1) await tellOne()
  const counted = await meter.count(countedEvents, async () => {
    for (let turn = 0; turn < countedEvents; turn += 1) await tellOne()
  })
  await meter.close()
  await worker.end('SIGTERM')
  const lines = counted.lines.filter(({ text }) => aboutWebhooks.test(text))
  return {
    perEvent: statementsOf(counted),
    lines: lines.map(({ text, calls }) => ({ text, calls })).toSorted((a, b) => b.calls - a.calls),
  }
}

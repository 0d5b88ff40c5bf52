/** What one id of waiting work takes in the store of NATS. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { idFromUuid, idMaker } from '../../packages/server/src/kernel/id.ts'
import { connectEngine } from '../../packages/server/src/platform/engine/engine.ts'
import { ensureStreams, streamName } from '../../packages/server/src/platform/engine/streams.ts'
import { createLog } from '../../packages/server/src/platform/log.ts'
import { createMetrics } from '../../packages/server/src/platform/metrics.ts'

/** As many as may be on their way at once. */
const count = 1_000

/** Nobody takes them out meanwhile: no worker runs. */
export async function weighMessages(natsUrl: string): Promise<number> {
  const engine = connectEngine({ natsUrl, log: createLog('error'), metrics: createMetrics() })
  await new Promise<void>((resolve) => engine.connection.onConnected(resolve))
  const line = engine.connection.line()
  if (line === null) throw new Error('NATS is away.')
  const work = 'payment.resolve'
  await ensureStreams(line.manager, [work], { replicas: 1, ackWaitMs: 30_000 })
  const now = new Date()
  const newId = idMaker(now, randomBytes(1)[0] ?? 0)
  const workspaceId = idFromUuid('workspace', 'test', newId())
  const refs = Array.from({ length: count }, () => ({
    workspaceId,
    id: idFromUuid('payment', 'test', newId()),
  }))
  engine.publish(
    refs.map((ref) => ({ work, ref, at: now })),
    now,
  )
  let { state } = await line.manager.streams.info(streamName)
  while (state.messages < count) {
    await sleep(50)
    state = (await line.manager.streams.info(streamName)).state
  }
  await engine.close()
  return Math.round(state.bytes / state.messages)
}

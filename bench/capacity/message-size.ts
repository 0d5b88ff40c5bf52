/** The size of one pending work message in the NATS store. */
import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { idFromUuid, idMaker } from '../../packages/server/src/kernel/id.ts'
import { connectEngine } from '../../packages/server/src/platform/engine/engine.ts'
import { ensureStreams } from '../../packages/server/src/platform/engine/streams.ts'
import { onlyStream } from '../../packages/server/src/platform/engine/subjects.ts'
import { createLog } from '../../packages/server/src/platform/log.ts'
import { createMetrics } from '../../packages/server/src/platform/metrics.ts'

/** The number of messages to publish. The engine drops messages when more than this number are in flight. */
const count = 1_000

/** No worker is running, so the messages stay in the store. */
export async function measureMessageSize(natsUrl: string): Promise<number> {
  const engine = connectEngine({ natsUrl, log: createLog('error'), metrics: createMetrics() })
  await new Promise<void>((resolve) => engine.connection.onConnected(resolve))
  const connection = engine.connection.live()
  if (connection === null) throw new Error('NATS is not connected.')
  const work = 'payment.resolve'
  await ensureStreams({ manager: connection.manager, stream: onlyStream }, [work], {
    replicas: 1,
    ackWaitMs: 30_000,
  })
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
  let { state } = await connection.manager.streams.info(onlyStream.name)
  while (state.messages < count) {
    await sleep(50)
    state = (await connection.manager.streams.info(onlyStream.name)).state
  }
  await engine.close()
  return Math.round(state.bytes / state.messages)
}

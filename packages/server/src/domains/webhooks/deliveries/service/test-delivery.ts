/**
 * Sends a test delivery in a single attempt, while the caller waits. It bypasses the lane, and works while
 * the endpoint is disabled.
 */
import type { Deps } from '../../../../deps.ts'
import { machineTime } from '../../../../kernel/clock.ts'
import { refuse } from '../../../../kernel/errors.ts'
import { modeOf, type Ref, uuidOf } from '../../../../kernel/id.ts'
import { withRetries } from '../../../../platform/db/retries.ts'
import { writeResults } from '../store/results.ts'
import { findTestDelivery } from '../store/test-delivery.ts'
import { sendAttempt } from './attempt.ts'
import { decryptSecrets } from './secrets.ts'

export async function tryOnce(deps: Deps, worker: string, ref: Ref<'delivery'>): Promise<void> {
  const shard = deps.databases.of(ref.workspaceId)
  const workspaceUuid = uuidOf(ref.workspaceId)
  const found = await withRetries({ isRepeatable: true }, () =>
    shard.withDeliveryConnection(async (db) => {
      const testDelivery = await findTestDelivery(db, workspaceUuid, uuidOf(ref.id))
      if (testDelivery === null) return null
      const secrets = await decryptSecrets(deps, db, ref.workspaceId, testDelivery.secrets)
      return { ...testDelivery, secrets }
    }),
  )
  if (found === null) return
  const startedAt = machineTime()
  const reading = deps.clock.read()
  const now = reading.from === 'harness' ? reading.at : startedAt
  const input = { ...found, mode: modeOf(ref.id), trigger: 'test', startedAt, now, worker } as const
  const { outcome, attempt: record } = await sendAttempt(deps.outbound, input)
  if (outcome === null)
    refuse('unavailable', { detail: 'The request could not be sent because of an internal error.' })
  const { delivery } = found
  const result = {
    workspaceUuid,
    deliveryUuid: delivery.uuid,
    version: delivery.version,
    state: outcome === 'ok' ? 'delivered' : 'exhausted',
    emitsEvent: false,
    tries: delivery.tries + 1,
    attempts: delivery.attempts + 1,
    waitSeconds: null,
    attempt: record,
    orderPosition: null,
  } as const
  // The result is written only to the version that was read, so writing it twice has the same effect.
  await withRetries({ isRepeatable: true }, () =>
    shard.withDeliveryConnection((db) =>
      writeResults(db, worker, deps.clock.read(), { results: [result], lanes: [] }),
    ),
  )
}

/** One attempt that somebody waits for. It passes by the lane: it may be made while the endpoint is disabled. */
import type { Deps } from '../../../deps.ts'
import { machineTime } from '../../../kernel/clock.ts'
import { refuse } from '../../../kernel/errors.ts'
import { modeOf, type Ref, uuidOf } from '../../../kernel/id.ts'
import { writeResults } from '../store/results.ts'
import { findTrial } from '../store/trial.ts'
import { attempt } from './attempt.ts'
import { openSecrets } from './secrets.ts'

export async function tryOnce(deps: Deps, worker: string, ref: Ref<'delivery'>): Promise<void> {
  const shard = deps.databases.of(ref.workspaceId)
  const workspaceUuid = uuidOf(ref.workspaceId)
  const found = await shard.delivering(async (db) => {
    const trial = await findTrial(db, workspaceUuid, uuidOf(ref.id))
    if (trial === null) return null
    return { ...trial, secrets: await openSecrets(deps, db, ref.workspaceId, trial.secrets) }
  })
  if (found === null) return
  const startedAt = machineTime()
  const reading = deps.clock.read()
  const now = reading.from === 'harness' ? reading.at : startedAt
  const errand = { ...found, mode: modeOf(ref.id), trigger: 'test', startedAt, now, worker } as const
  const { outcome, attempt: made } = await attempt(deps.outbound, errand)
  if (outcome === null)
    refuse('unavailable', { detail: 'The request could not be sent for a reason of ours.' })
  const { delivery } = found
  const result = {
    workspaceUuid,
    deliveryUuid: delivery.uuid,
    version: delivery.version,
    state: outcome === 'ok' ? 'delivered' : 'exhausted',
    told: false,
    tries: delivery.tries + 1,
    attempts: delivery.attempts + 1,
    waitSeconds: null,
    attempt: made,
    ahead: null,
  } as const
  await shard.delivering((db) =>
    writeResults(db, worker, deps.clock.read(), { results: [result], lanes: [] }),
  )
}

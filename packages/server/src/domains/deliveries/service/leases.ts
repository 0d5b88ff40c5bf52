/** Which lanes are ours, as Postgres has it. What cannot be said is no harm: a lease that nobody renews ends. */
import type { Deps } from '../../../deps.ts'
import type { Log } from '../../../platform/log.ts'
import { releaseLanes, renewLeases } from '../store/lanes.ts'
import type { Lane } from './lane.ts'

type Holder = { readonly deps: Pick<Deps, 'databases'>; readonly log: Log; readonly me: string }

/** Says that we are still at it. */
export async function renewAll({ deps, log, me }: Holder, lanes: readonly Lane[]): Promise<void> {
  const mine = lanes.filter((lane) => lane.claimed)
  const [shard] = deps.databases.shards
  if (mine.length === 0) return
  const lost = await shard
    ?.delivering((db) => renewLeases(db, me, mine))
    .catch((error) => {
      log.warn('Leases of webhook endpoints could not be renewed.', { error })
      return null
    })
  if (!lost) return
  // Another process thought us dead. What is under way ends; the rest is theirs.
  for (const lane of mine) if (lane.claimed && lost.has(lane.endpointUuid)) lane.dropQueue()
}

/** So that anybody may serve them at once. */
export async function letGoOf({ deps, log, me }: Holder, lanes: readonly Lane[]): Promise<void> {
  const [shard] = deps.databases.shards
  await shard
    ?.delivering((db) => releaseLanes(db, me, lanes))
    .catch((error) => log.warn('Lanes could not be released. Their leases end soon.', { error }))
}

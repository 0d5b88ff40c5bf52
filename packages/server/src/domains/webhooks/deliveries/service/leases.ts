/** The leases of the lanes of one shard in Postgres. Failures are harmless: a lease that is not renewed expires. */
import type { Shard } from '../../../../platform/db/databases.ts'
import type { Log } from '../../../../platform/log.ts'
import * as store from '../store/lanes.ts'
import type { Lane } from './lane.ts'

type LeaseHolder = { readonly shard: Shard; readonly log: Log; readonly processName: string }

export async function renewLeases(
  { shard, log, processName }: LeaseHolder,
  lanes: readonly Lane[],
): Promise<void> {
  const claimed = lanes.filter((lane) => lane.claimed)
  if (claimed.length === 0) return
  const lost = await shard
    .withDeliveryConnection((db) => store.renewLeases(db, processName, claimed))
    .catch((error) => {
      log.warn('Leases of webhook endpoints could not be renewed.', { error })
      return null
    })
  if (!lost) return
  // Our lease expired and another process took over. Requests in flight finish; that process sends the rest.
  for (const lane of claimed) if (lane.claimed && lost.has(lane.endpointUuid)) lane.dropQueue()
}

/** Releases lanes, so that other processes can serve them immediately. */
export async function releaseLeases(
  { shard, log, processName }: LeaseHolder,
  lanes: readonly Lane[],
): Promise<void> {
  await shard
    .withDeliveryConnection((db) => store.releaseLanes(db, processName, lanes))
    .catch((error) => log.warn('Webhook lanes could not be released. Their leases will expire.', { error }))
}

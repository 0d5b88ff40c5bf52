/** Releases deliveries for a recovery, in the transaction of the recovery. */
import { type Id, timeOf } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import * as store from '../store/release.ts'

/**
 * The retention of deliveries. A delivery of an older event would be created in a partition that is not read.
 */
const retentionDays = 30

/** Events before this time cannot be resent. It is real time, like the times in events and ids. */
export function oldestResendableTime(tx: Tx): Date {
  const now = timeOf(tx.newId('delivery'))
  return new Date(now.getTime() - retentionDays * 24 * 60 * 60 * 1000)
}

/**
 * Reads the next rows and releases matching ones. Returns null if the endpoint is disabled or deleted, so
 * that nothing can be sent.
 */
export async function releaseNext(
  tx: Tx,
  endpointId: Id<'webhook_endpoint'>,
  search: Omit<store.BatchQuery, 'endpoint'>,
): Promise<store.ReleasedBatch | null> {
  const endpoint = await store.findEnabledEndpoint(tx, endpointId)
  return endpoint === null ? null : store.releaseNext(tx, { ...search, endpoint })
}

/** For those who find out by themselves what is to be sent once more, such as recoveries. `tx` joins their unit. */
import { type Id, timeOf } from '../../../kernel/id.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import * as store from '../store/release.ts'

/** Deliveries are kept this long. What is older would come to lie where nothing is looked for. */
const reachDays = 30

/** What happened before is not sent any more. By the wall, which is how events are dated: so are ids. */
export function reachOf(tx: Tx): Date {
  const now = timeOf(tx.newId('delivery'))
  return new Date(now.getTime() - reachDays * 24 * 60 * 60 * 1000)
}

/** Looks at the next rows and releases those that fit. Null: the endpoint is disabled or deleted, nothing can be sent. */
export async function releaseNext(
  tx: Tx,
  endpointId: Id<'webhook_endpoint'>,
  search: Omit<store.Search, 'endpoint'>,
): Promise<store.Found | null> {
  const endpoint = await store.findOpenEndpoint(tx, endpointId)
  return endpoint === null ? null : store.releaseNext(tx, { ...search, endpoint })
}

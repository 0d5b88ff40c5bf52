/** Sends a plain POST with undici, with as many headers as a webhook. */
import { Pool } from 'undici'

/** Concurrent requests. More are not faster on two cores. */
export const concurrency = 64

export type BareRequest = {
  readonly path: string
  readonly eventId: string
  readonly body: string | Uint8Array
}

/** Headers that are as long as the signature headers of the server. */
const signatures = {
  'signature-digest': `t=1794657600,v1=${'0'.repeat(64)}`,
  'webhook-timestamp': '1794657600',
  'webhook-signature': `v1,${'0'.repeat(43)}=`,
  'switchyard-delivery': `delivery_test_${'0'.repeat(26)}`,
  'switchyard-attempt': '1',
}

export function bareSender(sinkUrl: string): (request: BareRequest) => Promise<number> {
  const pool = new Pool(sinkUrl, { connections: concurrency })
  return async ({ path, eventId, body }) => {
    const headers = { 'content-type': 'application/json', 'webhook-id': eventId, ...signatures }
    const response = await pool.request({ method: 'POST', path, headers, body })
    await response.body.dump()
    return response.statusCode
  }
}

/** Runs the function for each item with limited concurrency. */
export async function forEach<Item>(
  items: readonly Item[],
  handle: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0
  const runWorker = async () => {
    while (next < items.length) await handle(items[next++] as Item)
  }
  await Promise.all(Array.from({ length: concurrency }, runWorker))
}

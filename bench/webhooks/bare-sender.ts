/** A POST to the sink by undici and nothing else, with as many headers as a webhook has. */
import { Pool } from 'undici'

/** Requests under way. More of them do not make it faster on two cores. */
export const hands = 64

export type Errand = {
  readonly path: string
  readonly eventId: string
  readonly body: string | Uint8Array
}

/** As long as the signatures that the service makes. */
const signatures = {
  'signature-digest': `t=1794657600,v1=${'0'.repeat(64)}`,
  'webhook-timestamp': '1794657600',
  'webhook-signature': `v1,${'0'.repeat(43)}=`,
  'switchyard-delivery': `delivery_test_${'0'.repeat(26)}`,
  'switchyard-attempt': '1',
}

export function bareSender(sinkUrl: string): (errand: Errand) => Promise<number> {
  const pool = new Pool(sinkUrl, { connections: hands })
  return async ({ path, eventId, body }) => {
    const headers = { 'content-type': 'application/json', 'webhook-id': eventId, ...signatures }
    const answer = await pool.request({ method: 'POST', path, headers, body })
    await answer.body.dump()
    return answer.statusCode
  }
}

/** Does each, so many at a time. */
export async function forEach<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  let next = 0
  const hand = async () => {
    while (next < items.length) await work(items[next++] as Item)
  }
  await Promise.all(Array.from({ length: hands }, hand))
}

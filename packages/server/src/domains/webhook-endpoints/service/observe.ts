/** An endpoint as it is shown and told: with what is not in its own row. */

import { assert } from '../../../kernel/assert.ts'
import type { Reading } from '../../../kernel/clock.ts'
import type { Tx, View } from '../../../platform/db/unit-of-work.ts'
import { healthOf } from '../store/lanes.ts'
import { liveSecrets } from '../store/secrets.ts'
import type { ObservedEndpoint, WebhookEndpoint } from '../webhook-endpoint.ts'

/** Inside a change. It reads anew: while a lock was waited for, secrets may have been added. */
export function observe(tx: Tx, endpoint: WebhookEndpoint): Promise<ObservedEndpoint> {
  return observeOne(tx, endpoint, { from: 'harness', at: tx.now })
}

export async function observeOne(
  view: View,
  endpoint: WebhookEndpoint,
  now: Reading,
): Promise<ObservedEndpoint> {
  const [observed] = await observeAll(view, [endpoint], now)
  assert(observed !== undefined, 'One endpoint is observed as one.')
  return observed
}

export async function observeAll(
  view: View,
  endpoints: readonly WebhookEndpoint[],
  now: Reading,
): Promise<readonly ObservedEndpoint[]> {
  const ids = endpoints.map(({ id }) => id)
  const [health, secrets] = await Promise.all([healthOf(view, ids), liveSecrets(view, ids, now)])
  return endpoints.map((endpoint) => {
    const lane = health.get(endpoint.id)
    assert(lane !== undefined, 'An endpoint has a lane from its creation on.')
    return { ...endpoint, health: lane, secrets: secrets.get(endpoint.id) ?? [] }
  })
}

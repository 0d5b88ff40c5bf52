/** Loads endpoints as the API and events show them: with their health and secrets. */

import { assert } from '../../../../kernel/assert.ts'
import type { Reading } from '../../../../kernel/clock.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { findHealth } from '../store/lanes.ts'
import { listActiveSecrets } from '../store/secrets.ts'
import type { EndpointDetails, WebhookEndpoint } from '../webhook-endpoint.ts'

/** The endpoint must be locked first, so that secrets that were added during the wait for the lock are included. */
export function loadDetails(tx: Tx, endpoint: WebhookEndpoint): Promise<EndpointDetails> {
  return loadDetailsAt(tx, endpoint, { from: 'harness', at: tx.now })
}

export async function loadDetailsAt(
  view: View,
  endpoint: WebhookEndpoint,
  now: Reading,
): Promise<EndpointDetails> {
  const [details] = await loadDetailsOfAll(view, [endpoint], now)
  assert(details !== undefined, 'loadDetailsOfAll must return one entry for each endpoint.')
  return details
}

export async function loadDetailsOfAll(
  view: View,
  endpoints: readonly WebhookEndpoint[],
  now: Reading,
): Promise<readonly EndpointDetails[]> {
  const ids = endpoints.map(({ id }) => id)
  const [health, secrets] = await Promise.all([findHealth(view, ids), listActiveSecrets(view, ids, now)])
  return endpoints.map((endpoint) => {
    const endpointHealth = health.get(endpoint.id)
    assert(endpointHealth !== undefined, 'Every endpoint must have a lane, which is created with it.')
    return { ...endpoint, health: endpointHealth, secrets: secrets.get(endpoint.id) ?? [] }
  })
}

import type { Work } from '../../deps.ts'
import { dueLanes } from './store/lanes.ts'

/** One message per endpoint that has something due, be it one event or a million. */
export const serveWebhookEndpoints: Work<'webhook_endpoint'> = {
  name: 'webhook_endpoint.deliver',
  key: 'webhook_endpoint',
  // A hand holds an endpoint as long as something is due to it, and one that hangs must not keep others waiting.
  hands: 1_000,
  due: (db, now, limit) => dueLanes(db, 'webhook_endpoint.deliver', now, limit),
  handle: (deps, ref) => deps.courier.serve(ref),
}

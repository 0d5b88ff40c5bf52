import type { WorkType } from '../../../deps.ts'
import { dueLanes } from './store/lanes.ts'

/** Serves endpoints with due deliveries: one work item per endpoint, however many deliveries are due. */
export const serveWebhookEndpoints: WorkType<'webhook_endpoint'> = {
  name: 'webhook_endpoint.deliver',
  objectKind: 'webhook_endpoint',
  // A worker is occupied for as long as something is due, and a hanging endpoint must not delay others.
  concurrency: 1_000,
  due: (db, now, limit) => dueLanes(db, 'webhook_endpoint.deliver', now, limit),
  handle: (deps, ref) => deps.webhookDispatcher.serve(ref),
}

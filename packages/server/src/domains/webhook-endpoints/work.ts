import type { Work } from '../../deps.ts'
import { dueIn } from '../../platform/db/due.ts'
import { sweepWebhookEndpoint } from './service/sweep.ts'

export const sweepWebhookEndpoints: Work<'webhook_endpoint'> = {
  name: 'webhook_endpoint.sweep',
  key: 'webhook_endpoint',
  due: dueIn({
    work: 'webhook_endpoint.sweep',
    kind: 'webhook_endpoint',
    table: 'webhook_lanes',
    column: 'sweep_at',
  }),
  handle: sweepWebhookEndpoint,
}

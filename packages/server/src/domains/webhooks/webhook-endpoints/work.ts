import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { sweepWebhookEndpoint } from './service/sweep.ts'

export const sweepWebhookEndpoints: WorkType<'webhook_endpoint'> = {
  name: 'webhook_endpoint.sweep',
  objectKind: 'webhook_endpoint',
  due: dueIn({
    work: 'webhook_endpoint.sweep',
    kind: 'webhook_endpoint',
    table: 'webhook_lanes',
    column: 'sweep_at',
  }),
  handle: sweepWebhookEndpoint,
}

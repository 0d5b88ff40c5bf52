import type { WorkType } from '../../../deps.ts'
import { dueIn } from '../../../platform/db/due.ts'
import { processEvent } from './service.ts'

export const processProviderEvents: WorkType<'provider_event'> = {
  name: 'provider_event.process',
  objectKind: 'provider_event',
  due: dueIn({
    work: 'provider_event.process',
    kind: 'provider_event',
    table: 'provider_events',
    column: 'due_at',
  }),
  handle: processEvent,
}

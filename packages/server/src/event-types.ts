/** Every type of event there is, for the reference, the OpenAPI document and `GET /event-types`. */
import { customerCreated, customerDeleted, customerUpdated } from './domains/customers/events.ts'
import type { EventDefinition } from './platform/db/events.ts'

export const eventTypes: readonly Pick<EventDefinition<never>, 'type' | 'about' | 'schema'>[] = [
  customerCreated,
  customerUpdated,
  customerDeleted,
]

import { defineEvent } from '../../../platform/db/events.ts'
import type { Delivery } from './delivery.ts'
import { DeliveryObject, present } from './schema.ts'

export const deliveryExhausted = defineEvent<Delivery>({
  type: 'delivery.exhausted',
  about:
    'All attempts to deliver an event failed, and it is not retried automatically. This event is sent to your other endpoints.',
  schema: DeliveryObject,
  present,
  exceptEndpoint: (delivery) => delivery.webhookEndpointId,
  example: {
    object: {
      state: 'exhausted',
      tries: 14,
      attempts_made: 14,
      next_attempt_at: null,
      last_outcome: 'http_error',
      last_status: 500,
    },
  },
})

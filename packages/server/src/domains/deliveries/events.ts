import { defineEvent } from '../../platform/db/events.ts'
import type { Delivery } from './delivery.ts'
import { DeliveryObject, present } from './schema.ts'

export const deliveryExhausted = defineEvent<Delivery>({
  type: 'delivery.exhausted',
  about:
    'Every attempt to deliver an event failed, and it is not tried again by itself. It is told to your other endpoints.',
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

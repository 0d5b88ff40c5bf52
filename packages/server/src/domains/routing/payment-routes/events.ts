import { defineEvent } from '../../../platform/db/events.ts'
import type { PaymentRoute } from './payment-route.ts'
import { PaymentRouteObject, present } from './schema.ts'

const routeEvent = (verb: string, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<PaymentRoute>({
    type: `payment_route.${verb}`,
    about,
    schema: PaymentRouteObject,
    present,
    example: { ...example, object: { limits: null, examples: [], ...example.object } },
  })

export const paymentRouteCreated = routeEvent('created', 'A payment route was created.')

export const paymentRouteUpdated = routeEvent(
  'updated',
  'A payment route was updated. Sent for changes that do not publish a revision: a draft was saved, the route became or ceased to be the default, or its metadata changed.',
  { object: { latest_revision: 13 }, before: { latest_revision: 12 } },
)

export const paymentRoutePublished = routeEvent(
  'published',
  'A revision of a payment route was published. All processes use it for new payments within two seconds.',
  { before: { revision: 11 } },
)

export const paymentRouteArchived = routeEvent(
  'archived',
  'A payment route was archived. It is not used for new payments.',
  {
    object: { status: 'archived', is_default: false },
    before: { status: 'active' },
  },
)

export const paymentRouteDeleted = routeEvent(
  'deleted',
  'A payment route that was never published was deleted.',
  {
    object: { revision: null, is_default: false },
  },
)

export const paymentRouteEvents = [
  paymentRouteCreated,
  paymentRouteUpdated,
  paymentRoutePublished,
  paymentRouteArchived,
  paymentRouteDeleted,
]

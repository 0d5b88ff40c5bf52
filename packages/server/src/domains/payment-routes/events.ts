import { defineEvent } from '../../platform/db/events.ts'
import type { PaymentRoute } from './payment-route.ts'
import { PaymentRouteObject, present } from './schema.ts'

const told = (verb: string, about: string, example: { object?: object; before?: object } = {}) =>
  defineEvent<PaymentRoute>({
    type: `payment_route.${verb}`,
    about,
    schema: PaymentRouteObject,
    present,
    example: { ...example, object: { limits: null, examples: [], ...example.object } },
  })

export const paymentRouteCreated = told('created', 'A payment route was created.')

export const paymentRouteUpdated = told(
  'updated',
  'Something about a payment route changed that is not published: a draft was saved, it became the default or is it no more, or its metadata changed.',
  { object: { latest_revision: 13 }, before: { latest_revision: 12 } },
)

export const paymentRoutePublished = told(
  'published',
  'A revision of a payment route was published: payments are made by it from now on, in every process within two seconds.',
  { before: { revision: 11 } },
)

export const paymentRouteArchived = told(
  'archived',
  'A payment route was archived: no new payments are made by it.',
  {
    object: { status: 'archived', is_default: false },
    before: { status: 'active' },
  },
)

export const paymentRouteDeleted = told('deleted', 'A payment route that was never published was deleted.', {
  object: { revision: null, is_default: false },
})

export const paymentRouteEvents = [
  paymentRouteCreated,
  paymentRouteUpdated,
  paymentRoutePublished,
  paymentRouteArchived,
  paymentRouteDeleted,
]

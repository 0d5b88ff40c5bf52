import { defineEvent } from '../../../platform/db/events.ts'
import type { LinkWithUrl } from './payment-link.ts'
import { PaymentLinkObject, present } from './schema.ts'

const linkEvent = (verb: string, description: string, example: { object: object; before?: object }) =>
  defineEvent<LinkWithUrl>({
    type: `payment_link.${verb}`,
    about: description,
    schema: PaymentLinkObject,
    present,
    example,
  })

const active = { status: 'active', completed_count: 0 }

export const paymentLinkCreated = linkEvent('created', 'A payment link was created and can be paid.', {
  object: active,
})
export const paymentLinkUpdated = linkEvent(
  'updated',
  'A payment link was updated or activated again. `previous` contains the old values.',
  { object: active, before: { metadata: {} } },
)
export const paymentLinkDeactivated = linkEvent(
  'deactivated',
  'A payment link was deactivated and can no longer be paid. Payments in progress may still succeed.',
  { object: { ...active, status: 'inactive' }, before: { status: 'active' } },
)
export const paymentLinkCompleted = linkEvent(
  'completed',
  'A payment link reached its payment limit. `checkout_session.completed` is sent for each payment.',
  { object: { status: 'completed', completed_count: 1 }, before: active },
)
export const paymentLinkExpired = linkEvent('expired', 'A payment link expired.', {
  object: { ...active, status: 'expired' },
  before: { status: 'active' },
})

export const paymentLinkEvents = [
  paymentLinkCreated,
  paymentLinkUpdated,
  paymentLinkDeactivated,
  paymentLinkCompleted,
  paymentLinkExpired,
]

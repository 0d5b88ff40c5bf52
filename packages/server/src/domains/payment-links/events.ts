import { defineEvent } from '../../platform/db/events.ts'
import type { AddressedLink } from './payment-link.ts'
import { PaymentLinkObject, present } from './schema.ts'

const told = (verb: string, about: string, example: { object: object; before?: object }) =>
  defineEvent<AddressedLink>({
    type: `payment_link.${verb}`,
    about,
    schema: PaymentLinkObject,
    present,
    example,
  })

const active = { status: 'active', completed_count: 0 }

export const paymentLinkCreated = told('created', 'A payment link was created; it can be paid from now on.', {
  object: active,
})
export const paymentLinkUpdated = told(
  'updated',
  'Something about a payment link changed, or it was activated again; `previous` holds what it was.',
  { object: active, before: { metadata: {} } },
)
export const paymentLinkDeactivated = told(
  'deactivated',
  'A payment link can be paid no more, until it is activated again. Whoever was paying may still succeed.',
  { object: { ...active, status: 'inactive' }, before: { status: 'active' } },
)
export const paymentLinkCompleted = told(
  'completed',
  'As many have paid by a payment link as may. `checkout_session.completed` tells of each.',
  { object: { status: 'completed', completed_count: 1 }, before: active },
)
export const paymentLinkExpired = told('expired', 'The time of a payment link is over.', {
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

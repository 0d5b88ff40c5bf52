import { defineEvent } from '../../platform/db/events.ts'
import type { PaymentMethod } from './payment-method.ts'
import { PaymentMethodObject, present } from './schema.ts'

const told = (verb: string, about: string, example: { object: object; before?: object }) =>
  defineEvent<PaymentMethod>({
    type: `payment_method.${verb}`,
    about,
    schema: PaymentMethodObject,
    present,
    example,
  })

const free = { status: 'authorized', customer_id: null, detached_reason: null }
const attached = { status: 'attached', detached_reason: null }

export const paymentMethodAuthorized = told(
  'authorized',
  'A card was verified, and there is a payment method for it. It is forgotten unless it is attached within 7 days.',
  { object: free },
)
export const paymentMethodAttached = told(
  'attached',
  'A payment method belongs to a customer now, and can pay.',
  { object: attached, before: { status: 'authorized', customer_id: null } },
)
export const paymentMethodUpdated = told(
  'updated',
  'Something about a payment method changed; `previous` holds what it was.',
  { object: attached, before: { metadata: {} } },
)
export const paymentMethodDetached = told(
  'detached',
  'A payment method can pay no more, and its card is destroyed; `detached_reason` says why. It is final.',
  {
    object: { status: 'detached', detached_reason: 'requested' },
    before: { status: 'attached', detached_reason: null },
  },
)

export const paymentMethodEvents = [
  paymentMethodAuthorized,
  paymentMethodAttached,
  paymentMethodUpdated,
  paymentMethodDetached,
]

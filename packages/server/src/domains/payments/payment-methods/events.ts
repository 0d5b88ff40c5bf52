import { defineEvent } from '../../../platform/db/events.ts'
import type { PaymentMethod } from './payment-method.ts'
import { PaymentMethodObject, present } from './schema.ts'

const methodEvent = (verb: string, description: string, example: { object: object; before?: object }) =>
  defineEvent<PaymentMethod>({
    type: `payment_method.${verb}`,
    about: description,
    schema: PaymentMethodObject,
    present,
    example,
  })

const unattached = { status: 'authorized', customer_id: null, detached_reason: null }
const attached = { status: 'attached', detached_reason: null }

export const paymentMethodAuthorized = methodEvent(
  'authorized',
  'A card was verified and a payment method was created. The card is deleted unless the payment method is attached to a customer within 7 days.',
  { object: unattached },
)
export const paymentMethodAttached = methodEvent(
  'attached',
  'A payment method was attached to a customer and can now be charged.',
  { object: attached, before: { status: 'authorized', customer_id: null } },
)
export const paymentMethodUpdated = methodEvent(
  'updated',
  'A payment method was updated. `previous` contains the old values.',
  { object: attached, before: { metadata: {} } },
)
export const paymentMethodDetached = methodEvent(
  'detached',
  'A payment method was detached and its card data was deleted. `detached_reason` says why. This state is final.',
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

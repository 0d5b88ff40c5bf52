import { defineEvent } from '../../platform/db/events.ts'
import { CheckoutSessionObject, present } from './schema.ts'
import type { CheckoutSession } from './session.ts'

const told = (verb: string, about: string, example: { object: object; before?: object }) =>
  defineEvent<CheckoutSession>({
    type: `checkout_session.${verb}`,
    about,
    schema: CheckoutSessionObject,
    present,
    example,
  })

// What is shown once is in no event.
const fresh = { url: null, client_secret: null, payment_id: null, payer: null, completed_at: null }

export const checkoutSessionCreated = told(
  'created',
  'A checkout session was created, by your server or by a payer who opened a payment link.',
  { object: { ...fresh, status: 'open' } },
)
export const checkoutSessionCompleted = told(
  'completed',
  'Somebody has paid, or the amount is held. `payment_id` is the payment, `payer` what was typed beside the card.',
  {
    object: { url: null, client_secret: null, status: 'completed', tries_left: 0 },
    before: { status: 'processing', completed_at: null },
  },
)
export const checkoutSessionExpired = told(
  'expired',
  'Nobody has paid, and in this session nobody can any more: its time is over, or too many payments failed.',
  { object: { ...fresh, status: 'expired', tries_left: 0 }, before: { status: 'open' } },
)

export const checkoutSessionEvents = [
  checkoutSessionCreated,
  checkoutSessionCompleted,
  checkoutSessionExpired,
]

import { exampleOfSchema } from '../../kernel/example.ts'
import { IdOf } from '../../kernel/shapes.ts'
import { defineEvent } from '../../platform/db/events.ts'
import { CheckoutSessionObject, PayerObject, present } from './schema.ts'
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
const paid = {
  payment_id: exampleOfSchema(IdOf('payment')),
  payer: exampleOfSchema(PayerObject),
  completed_at: '2026-11-14T12:00:00.000Z',
}

export const checkoutSessionCreated = told(
  'created',
  'A checkout session was created, by your server or by a payer who opened a payment link.',
  { object: { ...fresh, status: 'open' } },
)
export const checkoutSessionCompleted = told(
  'completed',
  'Somebody has paid, or the amount is held. `payment_id` is the payment, `payer` what was typed beside the card.',
  {
    object: { ...fresh, ...paid, status: 'completed' },
    before: { status: 'processing', completed_at: null, payer: null },
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

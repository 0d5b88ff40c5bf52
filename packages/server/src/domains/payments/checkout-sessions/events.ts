import { exampleOfSchema } from '../../../kernel/example.ts'
import { IdOf } from '../../../kernel/shapes.ts'
import { defineEvent } from '../../../platform/db/events.ts'
import { CheckoutSessionObject, PayerObject, present } from './schema.ts'
import type { CheckoutSession } from './session.ts'

const sessionEvent = (verb: string, description: string, example: { object: object; before?: object }) =>
  defineEvent<CheckoutSession>({
    type: `checkout_session.${verb}`,
    about: description,
    schema: CheckoutSessionObject,
    present,
    example,
  })

// `url` and `client_secret` are returned once by the API, and never in events.
const newSession = {
  payment_status: 'unpaid',
  url: null,
  client_secret: null,
  payment_id: null,
  payment_method_id: null,
  payer: null,
  completed_at: null,
}
const paid = {
  payment_status: 'paid',
  payment_id: exampleOfSchema(IdOf('payment')),
  payer: exampleOfSchema(PayerObject),
  completed_at: '2026-11-14T12:00:00.000Z',
}

export const checkoutSessionCreated = sessionEvent(
  'created',
  'A checkout session was created, by your server or when a payer submitted a payment on a payment link. Opening a payment link does not create a session.',
  { object: { ...newSession, status: 'open' } },
)
export const checkoutSessionCompleted = sessionEvent(
  'completed',
  'The payer has paid, or the amount is authorized. `payment_id` is the payment. `payer` contains the details that the payer entered. If `payment_status` is `pending`, the bank has not confirmed the debit yet, and another event follows.',
  {
    object: { ...newSession, ...paid, status: 'completed' },
    before: { status: 'processing', completed_at: null, payer: null },
  },
)
export const checkoutSessionPaymentSucceeded = sessionEvent(
  'payment_succeeded',
  'The bank has confirmed the debit of a session that was completed with the `payment_status` `pending`.',
  { object: { ...newSession, ...paid, status: 'completed' }, before: { payment_status: 'pending' } },
)
export const checkoutSessionPaymentFailed = sessionEvent(
  'payment_failed',
  'The bank has rejected the debit of a session that was completed with the `payment_status` `pending`. Nothing was paid.',
  {
    object: { ...newSession, ...paid, status: 'completed', payment_status: 'failed' },
    before: { payment_status: 'pending' },
  },
)
export const checkoutSessionExpired = sessionEvent(
  'expired',
  'The session ended without a payment, because it expired or too many payments failed.',
  { object: { ...newSession, status: 'expired', tries_left: 0 }, before: { status: 'open' } },
)

export const checkoutSessionEvents = [
  checkoutSessionCreated,
  checkoutSessionCompleted,
  checkoutSessionPaymentSucceeded,
  checkoutSessionPaymentFailed,
  checkoutSessionExpired,
]

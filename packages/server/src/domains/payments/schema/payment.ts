/** Payments and their attempts on the wire. */
import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import { IdOf, Metadata, MetadataChange, mostlyNull, nullable, OneOf, Time } from '../../../kernel/shapes.ts'
import { TraceObject } from '../../payment-routes/schema/simulation.ts'
import { type Attempt, attemptStatuses, type Payment, paymentStatuses } from '../payment.ts'
import { summaryOf } from '../summary.ts'
import { Card, Failure, NextAction } from './parts.ts'

// What comes of a verification.
export {
  CreatePaymentMethod,
  PaymentMethodObject,
  present as presentMethod,
} from '../../payment-methods/schema.ts'
// What payers are shown of it.
export { type Payment, paymentStatuses } from '../payment.ts'

const captureText = '`manual`: the amount is held, and taken when you capture it.'
const initiatorText = '`merchant`: the payer is not there, and has agreed to it before.'
const secureText =
  '`required`: the bank of the payer is always asked to confirm. `auto`: when the bank wants it.'
const descriptorText = 'What the payer reads on the statement of the card.'
const routeText = 'The route that decides. Without it, the default one.'

export const Amount = (description: string, example = 1299) =>
  Type.Integer({ minimum: 0, maximum: 999_999_999_999, description, examples: [example], loggable: true })
export const CurrencyCode = OneOf(currencies, {
  description: 'ISO 4217, lower case.',
  examples: ['eur'],
  loggable: true,
})
export const PaymentObject = Type.Object(
  {
    id: IdOf('payment'),
    object: Type.Literal('payment'),
    status: OneOf(paymentStatuses, {
      description:
        '`succeeded`, `failed` and `cancelled` are final. `requires_action`: the payer has to act. `requires_capture`: the amount is held, and you decide.',
      loggable: true,
      examples: ['succeeded'],
    }),
    purpose: OneOf(['payment', 'verification'], {
      description: '`verification`: a card was checked, and no money was to move.',
      loggable: true,
    }),
    summary: Type.String({
      description: 'One sentence that says what happened and why.',
      examples: ['EUR 12.99 was taken from visa ending in 4242.'],
    }),
    amount: Amount('In the smallest unit of the currency.'),
    currency: CurrencyCode,
    amount_capturable: Amount('Held, and not taken yet.', 0),
    amount_captured: Amount('Taken.'),
    amount_refunding: Amount('On its way back.', 0),
    amount_refunded: Amount('Given back.', 0),
    capture_method: OneOf(['automatic', 'manual'], { description: captureText }),
    initiator: OneOf(['customer', 'merchant'], { description: initiatorText }),
    three_d_secure: OneOf(['auto', 'required'], { description: secureText }),
    customer_id: nullable(IdOf('customer')),
    payment_method_id: nullable(IdOf('payment_method')),
    invoice_id: mostlyNull(IdOf('invoice', 'The invoice that it is for.')),
    checkout_session_id: mostlyNull(IdOf('checkout_session', 'The session in which it was made.')),
    payment_link_id: mostlyNull(IdOf('payment_link', 'The link by which it was made.')),
    card: Card,
    provider_account_id: nullable(IdOf('provider_account', 'The account that has it, or was asked last.')),
    provider_reference: nullable(Type.String({ description: 'What the provider calls it.' })),
    attempts_count: Type.Integer({
      description: 'How many accounts were asked.',
      examples: [1],
      loggable: true,
    }),
    capture_before_at: mostlyNull(Time),
    return_url: nullable(Type.String({ description: 'Where the payer comes back to.' })),
    next_action: nullable(NextAction),
    unresolved_since_at: nullable(
      Type.String({
        format: 'date-time',
        description: 'Set while it is not known what became of it. Do not pay again meanwhile.',
      }),
    ),
    failure: nullable(Failure),
    last_error: nullable(Failure),
    cancel_requested_at: mostlyNull(Time),
    review: nullable(
      OneOf(['needs_review', 'conflict'], {
        description:
          'Set while a person has to look: the outcome is not known for too long, or the provider contradicts itself.',
      }),
    ),
    payment_route_id: nullable({
      ...IdOf('payment_route'),
      description: 'The route that decides for it. Null: accounts are asked in their order.',
    }),
    route_revision: nullable(Type.Integer({ description: 'Which revision of it.', examples: [1] })),
    order_reference: nullable(Type.String({ description: 'Your own number for the order.' })),
    statement_descriptor: nullable(Type.String({ description: descriptorText })),
    description: nullable(Type.String({ description: 'A note of yours.' })),
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Payment', description: 'One amount that a payer owes you, and all that was tried to get it.' },
)

export const AttemptObject = Type.Object(
  {
    id: IdOf('payment_attempt'),
    object: Type.Literal('payment_attempt'),
    payment_id: IdOf('payment'),
    number: Type.Integer({ description: 'Counts the attempts of a payment.', examples: [1], loggable: true }),
    status: OneOf(attemptStatuses, {
      description: 'How far it came. `unresolved`: it is not known yet what became of it.',
      loggable: true,
      examples: ['captured'],
    }),
    provider_account_id: IdOf('provider_account'),
    provider_reference: nullable(Type.String({ description: 'What the provider calls it.' })),
    decline_code: mostlyNull(
      Type.String({ description: 'Why it was declined.', examples: ['insufficient_funds'], loggable: true }),
    ),
    trace: TraceObject,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'PaymentAttempt', description: 'What one provider account was asked for a payment.' },
)

export const PaymentPath = Type.Object({ payment_id: IdOf('payment') })

export const CreatePayment = Type.Object(
  {
    amount: Type.Integer({
      minimum: 1,
      maximum: 999_999_999_999,
      description: 'In the smallest unit of the currency: 1299 is 12.99 euros, or 1299 yen.',
      examples: [1299],
    }),
    currency: CurrencyCode,
    token: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'A card token. It is used up, whatever comes of the payment. Either this or `payment_method_id` is sent.',
      }),
    ),
    payment_method_id: Type.Optional(
      IdOf('payment_method', 'One that is attached to a customer, who is that of the payment then.'),
    ),
    capture_method: Type.Optional(
      OneOf(['automatic', 'manual'], { default: 'automatic', description: captureText }),
    ),
    initiator: Type.Optional(
      OneOf(['customer', 'merchant'], { default: 'customer', description: initiatorText }),
    ),
    three_d_secure: Type.Optional(OneOf(['auto', 'required'], { default: 'auto', description: secureText })),
    customer_id: Type.Optional(IdOf('customer')),
    save_payment_method: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Keeps the card for the customer: as soon as a bank approves the payment there is a payment method, attached to `customer_id`.',
      }),
    ),
    usage: Type.Optional(
      OneOf(['on_session', 'off_session'], {
        default: 'on_session',
        description:
          'Of the payment method that is kept. `off_session`: the payer has agreed to be charged while not there.',
      }),
    ),
    return_url: Type.Optional(
      Type.String({ format: 'uri', maxLength: 2048, description: 'Where the payer comes back to.' }),
    ),
    payment_route_id: Type.Optional({ ...IdOf('payment_route'), description: routeText }),
    order_reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description:
          'Your own number for the order. An order has one payment that is not failed or cancelled.',
      }),
    ),
    statement_descriptor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 22, description: descriptorText }),
    ),
    description: Type.Optional(
      Type.String({ minLength: 1, maxLength: 5000, description: 'A note of yours.' }),
    ),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CreatePaymentBody = Static<typeof CreatePayment>

export const AttemptsOfPayment = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(AttemptObject),
  has_more: Type.Literal(false),
  url: Type.String(),
})

export function present(payment: Payment): Static<typeof PaymentObject> {
  return {
    id: payment.id,
    object: 'payment',
    status: payment.status,
    purpose: payment.purpose,
    summary: summaryOf(payment),
    amount: Number(payment.amount),
    currency: payment.currency,
    amount_capturable: Number(payment.amountCapturable),
    amount_captured: Number(payment.amountCaptured),
    amount_refunding: Number(payment.amountRefunding),
    amount_refunded: Number(payment.amountRefunded),
    capture_method: payment.captureMethod,
    initiator: payment.initiator,
    three_d_secure: payment.threeDSecure,
    customer_id: payment.customerId,
    payment_method_id: payment.paymentMethodId,
    invoice_id: payment.invoiceId,
    checkout_session_id: payment.checkoutSessionId,
    payment_link_id: payment.paymentLinkId,
    card: payment.card,
    provider_account_id: payment.providerAccountId,
    provider_reference: payment.providerReference,
    attempts_count: payment.attemptsCount,
    capture_before_at: timeOrNull(payment.captureBeforeAt),
    return_url: payment.returnUrl,
    next_action: presentAction(payment.nextAction),
    unresolved_since_at: timeOrNull(payment.unresolvedSinceAt),
    failure: payment.failure,
    last_error: payment.lastError,
    cancel_requested_at: timeOrNull(payment.cancelRequestedAt),
    review: payment.review,
    payment_route_id: payment.paymentRouteId,
    route_revision: payment.routeRevision,
    order_reference: payment.orderReference,
    statement_descriptor: payment.statementDescriptor,
    description: payment.description,
    metadata: { ...payment.metadata },
    created_at: payment.createdAt.toISOString(),
    updated_at: payment.updatedAt.toISOString(),
  }
}

export function presentAttempt(attempt: Attempt): Static<typeof AttemptObject> {
  return {
    id: attempt.id,
    object: 'payment_attempt',
    payment_id: attempt.paymentId,
    number: attempt.number,
    status: attempt.status,
    provider_account_id: attempt.providerAccountId,
    provider_reference: attempt.providerReference,
    decline_code: attempt.decline?.code ?? null,
    trace: attempt.trace as Static<typeof TraceObject>,
    created_at: attempt.createdAt.toISOString(),
    updated_at: attempt.updatedAt.toISOString(),
  }
}

export function presentAttempts(paymentId: string, attempts: readonly Attempt[]) {
  const data = attempts.map(presentAttempt)
  return { object: 'list' as const, data, has_more: false as const, url: `/payments/${paymentId}/attempts` }
}

/** Not where it leads to: that address is the payer's alone. */
function presentAction(action: Payment['nextAction']): Static<typeof NextAction> | null {
  if (action === null) return null
  const { type, url, expires_at } = action
  return { type, url, expires_at }
}

export const timeOrNull = (at: Date | null) => at?.toISOString() ?? null

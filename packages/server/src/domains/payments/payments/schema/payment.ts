/** API schemas of payments and their attempts. */
import { type Static, Type } from 'typebox'
import { currencies } from '../../../../kernel/currency.ts'
import { presentDebit } from '../../../../kernel/debit-details.ts'
import {
  CreatedAt,
  debitDetails,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../../kernel/shapes.ts'
import { isRedirect, methodTypes } from '../../../../providers/contract.ts'
import { TraceObject } from '../../../routing/payment-routes/schema/simulation.ts'
import { DeviceInput } from '../../payment-methods/schema/device.ts'
import { type Attempt, attemptStatuses, type Payment, paymentStatuses } from '../payment.ts'
import { summaryOf } from '../summary.ts'
import { Card, Failure, NextAction, Reversal, Settlement } from './parts.ts'

// A verification creates a payment method, or a credential of one.
export {
  CreateCredential,
  CreatePaymentMethod,
  PaymentMethodObject,
  PaymentMethodPath,
  present as presentMethod,
} from '../../payment-methods/schema.ts'
// Exported for checkout sessions.
export { type Payment, paymentStatuses } from '../payment.ts'

const captureMethodText =
  '`automatic`: the amount is captured when it is authorized. `manual`: the amount is authorized only, and you capture it later.'
const initiatorText =
  '`customer`: the payer is present. `merchant`: the payer is not present and agreed to the charge earlier.'
const threeDSecureText =
  '`required`: always request 3-D Secure. `auto`: only if the issuing bank requires it.'
const descriptorText = "Text on the payer's card statement."
const routeText = 'Route that selects the provider account. Default: the default route of the workspace.'

export const Amount = (description: string, example = 1299) =>
  Type.Integer({ minimum: 0, maximum: 999_999_999_999, description, examples: [example], loggable: true })
export const CurrencyCode = OneOf(currencies, {
  description: 'Three-letter ISO 4217 currency code in lowercase, e.g. `eur`.',
  examples: ['eur'],
  faultDetail: 'must be a lowercase currency code, such as eur',
  loggable: true,
})
export const PaymentObject = Type.Object(
  {
    id: IdOf('payment'),
    object: Type.Literal('payment'),
    status: OneOf(paymentStatuses, {
      description:
        '`succeeded`, `failed` and `cancelled` are final. `requires_action`: the payer must complete an action. `requires_capture`: the amount is authorized and can be captured or cancelled.',
      loggable: true,
      examples: ['succeeded'],
    }),
    purpose: OneOf(['payment', 'verification'], {
      description: '`payment`: charges a card. `verification`: verifies a card without charging it.',
      loggable: true,
    }),
    summary: Type.String({
      description: 'One sentence that explains what happened and why.',
      examples: ['€12.99 charged to Visa •••• 4242.'],
    }),
    amount: Amount('Amount in minor units, e.g. 1299 for €12.99.'),
    currency: CurrencyCode,
    amount_capturable: Amount('Authorized amount that has not been captured, in minor units.', 0),
    amount_captured: Amount('Captured amount in minor units.'),
    amount_refunding: Amount('Amount of pending refunds, in minor units.', 0),
    amount_refunded: Amount('Refunded amount in minor units.', 0),
    amount_reversed: Amount(
      'Amount that the bank has returned to the payer after it had confirmed the debit, in minor units.',
      0,
    ),
    capture_method: OneOf(['automatic', 'manual'], { description: captureMethodText }),
    initiator: OneOf(['customer', 'merchant'], { description: initiatorText }),
    three_d_secure: OneOf(['auto', 'required'], { description: threeDSecureText }),
    customer_id: nullable(IdOf('customer')),
    payment_method_id: nullable(IdOf('payment_method')),
    invoice_id: nullableWithNullExample(
      IdOf('invoice', 'Invoice that this payment is for. Null if there is none.'),
    ),
    checkout_session_id: nullableWithNullExample(
      IdOf('checkout_session', 'Checkout session in which the payment was created. Null if there is none.'),
    ),
    payment_link_id: nullableWithNullExample(
      IdOf('payment_link', 'Payment link that was used to pay. Null if there is none.'),
    ),
    payment_method_type: OneOf(methodTypes, {
      description:
        'Type of the payment method. The member of the same name, if there is one, contains the details that can be displayed.',
      loggable: true,
    }),
    card: nullableWithExample(Card),
    ...debitDetails,
    settlement: nullableWithNullExample(Settlement),
    reversal: nullableWithNullExample(Reversal),
    provider_account_id: nullable(
      IdOf(
        'provider_account',
        'Provider account that processed the payment, or that was tried last. Null before the first attempt.',
      ),
    ),
    provider_reference: nullable(
      Type.String({ description: 'ID assigned by the provider. Null if it is not known.' }),
    ),
    attempts_count: Type.Integer({
      description: 'Number of provider accounts that were tried.',
      examples: [1],
      loggable: true,
    }),
    capture_before_at: nullableWithNullExample({
      ...Time,
      description:
        'Time the authorization expires: capture the payment before then. Null if there is no such time.',
    }),
    return_url: nullable(
      Type.String({ description: 'URL that the payer is redirected to after completing `next_action`.' }),
    ),
    next_action: nullable(NextAction),
    unresolved_since_at: nullable(
      Type.String({
        format: 'date-time',
        description:
          'Time the outcome became unknown. Do not create another payment while it is set. Null if the outcome is known.',
      }),
    ),
    failure: nullable(Failure),
    last_error: nullable(Failure),
    cancel_requested_at: nullableWithNullExample({
      ...Time,
      description: 'Time the cancellation was requested. Null if it was not requested.',
    }),
    review: nullable(
      OneOf(['needs_review', 'conflict'], {
        description:
          "Set if the payment needs manual review: its outcome has been unknown for too long, or the provider's report contradicts the request or the recorded outcome. Null otherwise.",
      }),
    ),
    payment_route_id: nullable({
      ...IdOf('payment_route'),
      description:
        'Route that selects the provider account. Null: provider accounts are tried in the order of their `position`.',
    }),
    route_revision: nullable(
      Type.Integer({ description: 'Revision of the route. Null if no route is used.', examples: [1] }),
    ),
    order_reference: nullable(Type.String({ description: 'Your order number.' })),
    statement_descriptor: nullable(Type.String({ description: descriptorText })),
    description: nullable(Type.String({ description: 'Free-text description.' })),
    metadata: Metadata,
    test_clock_id: nullableWithNullExample(IdOf('test_clock')),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'Payment', description: 'A charge to a payer, with all attempts to collect it.' },
)

export const AttemptObject = Type.Object(
  {
    id: IdOf('payment_attempt'),
    object: Type.Literal('payment_attempt'),
    payment_id: IdOf('payment'),
    number: Type.Integer({
      description: 'Number of the attempt within the payment, starting at 1.',
      examples: [1],
      loggable: true,
    }),
    status: OneOf(attemptStatuses, {
      description: 'Status of the attempt. `unresolved`: the outcome is not known yet.',
      loggable: true,
      examples: ['captured'],
    }),
    provider_account_id: IdOf('provider_account'),
    provider_reference: nullable(
      Type.String({ description: 'ID assigned by the provider. Null if it is not known.' }),
    ),
    decline_code: nullableWithNullExample(
      Type.String({
        description: 'Decline code. Null if the attempt was not declined.',
        examples: ['insufficient_funds'],
        loggable: true,
      }),
    ),
    trace: TraceObject,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  { $id: 'PaymentAttempt', description: 'An attempt to process a payment with one provider account.' },
)

export const PaymentPath = Type.Object({ payment_id: IdOf('payment') })

export const CreatePayment = Type.Object(
  {
    amount: Type.Integer({
      minimum: 1,
      maximum: 999_999_999_999,
      description: 'Amount in minor units, e.g. 1299 for €12.99 or for ¥1,299.',
      examples: [1299],
    }),
    currency: CurrencyCode,
    token: Type.Optional(
      Type.String({
        maxLength: 100,
        description:
          'Token of a card or bank account. It can be used once, even if the payment fails. Send either this or `payment_method_id`.',
      }),
    ),
    payment_method_id: Type.Optional(
      IdOf(
        'payment_method',
        'Payment method that is attached to a customer. The payment then belongs to that customer.',
      ),
    ),
    capture_method: Type.Optional(
      OneOf(['automatic', 'manual'], { default: 'automatic', description: captureMethodText }),
    ),
    initiator: Type.Optional(
      OneOf(['customer', 'merchant'], { default: 'customer', description: initiatorText }),
    ),
    three_d_secure: Type.Optional(
      OneOf(['auto', 'required'], { default: 'auto', description: threeDSecureText }),
    ),
    device: Type.Optional(DeviceInput),
    customer_id: Type.Optional(IdOf('customer')),
    save_payment_method: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          'Saves the card: once the payment is approved, a payment method is created and attached to `customer_id`.',
      }),
    ),
    usage: Type.Optional(
      OneOf(['on_session', 'off_session'], {
        default: 'on_session',
        description:
          'Intended use of the saved payment method. `off_session`: the payer has agreed to charges while they are not present.',
      }),
    ),
    return_url: Type.Optional(
      Type.String({
        format: 'uri',
        maxLength: 2048,
        description: 'URL that the payer is redirected to after completing `next_action`.',
      }),
    ),
    payment_route_id: Type.Optional({ ...IdOf('payment_route'), description: routeText }),
    order_reference: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: 'Your order number. An order can have only one payment that is not failed or cancelled.',
      }),
    ),
    statement_descriptor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 22, description: descriptorText }),
    ),
    description: Type.Optional(
      Type.String({ minLength: 1, maxLength: 5000, description: 'Free-text description.' }),
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
    amount_reversed: Number(payment.amountReversed),
    capture_method: payment.captureMethod,
    initiator: payment.initiator,
    three_d_secure: payment.threeDSecure,
    customer_id: payment.customerId,
    payment_method_id: payment.paymentMethodId,
    invoice_id: invoiceIdOf(payment),
    checkout_session_id: payment.checkoutSessionId,
    payment_link_id: payment.paymentLinkId,
    payment_method_type: payment.methodType,
    card: payment.debit === null && !isRedirect(payment.methodType) ? payment.card : null,
    ...presentDebit(payment.methodType, payment.debit),
    settlement: presentSettlement(payment.settlement),
    reversal: presentReversal(payment.reversal),
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
    test_clock_id: payment.testClockId,
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

/** Omits `target`, because only the payer may get the URL of the provider page. */
function presentAction(action: Payment['nextAction']): Static<typeof NextAction> | null {
  if (action === null) return null
  const { type, url, expires_at } = action
  return { type, url, expires_at }
}

function presentSettlement(settlement: Payment['settlement']): Static<typeof Settlement> | null {
  if (settlement === null) return null
  const { status, expectedAt, settledAt } = settlement
  return { status, expected_at: timeOrNull(expectedAt), settled_at: timeOrNull(settledAt) }
}

function presentReversal(reversal: Payment['reversal']): Static<typeof Reversal> | null {
  if (reversal === null) return null
  const { reason_code, provider_reference, at } = reversal
  return { reason_code, provider_reference, reversed_at: at }
}

export const timeOrNull = (at: Date | null) => at?.toISOString() ?? null

/** The invoice of a checkout is created after its payment has succeeded. */
function invoiceIdOf({ invoiceId, checkoutSessionId, status }: Payment): Payment['invoiceId'] {
  return checkoutSessionId !== null && status !== 'succeeded' ? null : invoiceId
}

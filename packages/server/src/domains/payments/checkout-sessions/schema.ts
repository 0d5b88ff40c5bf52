import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  nullableWithNullExample,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { DiscountObject, presentDiscount } from '../../billing/discounts/schema.ts'
import { discounts } from '../../billing/subscriptions/schema/commands.ts'
import { AddressMembers, members as customerMembers } from '../customers/schema.ts'
import {
  cartInput,
  cartMembers,
  payerDetailsInput,
  payerDetailsMembers,
  presentCart,
  promotionCodesInput,
  promotionCodesMember,
  savedMethodsInput,
  savedMethodsMember,
} from '../payment-links/schema/cart.ts'
import { statuses } from './machine.ts'
import { type CheckoutSession, maxDeclines, triesLeft } from './session.ts'

export { CustomerPath } from '../customers/schema.ts'

const { locale } = customerMembers
const description = nullable(
  Type.String({ minLength: 1, maxLength: 5000, description: 'Description shown to the payer.' }),
)
const captureMethod = OneOf(['automatic', 'manual'], {
  description:
    '`automatic`: the amount is captured when it is authorized. `manual`: the amount is authorized only, and you capture the payment later.',
})
const webUrl = (description: string) =>
  Type.String({ format: 'uri', maxLength: 2048, description, examples: ['https://shop.example.com/thanks'] })
const successUrl = webUrl(
  'URL that payers are redirected to after paying. `checkout_session_id` is added to the query.',
)
const cancelUrl = webUrl('URL for payers who cancel.')

export const PayerObject = Type.Object(
  {
    name: nullable(Type.String({ description: 'Name of the payer. Null if it was not collected.' })),
    email: nullable(
      Type.String({
        description: 'Email address that the receipt is sent to. Null if it was not collected.',
      }),
    ),
    phone: nullable(Type.String({ description: 'Phone number. Null if it was not collected.' })),
    billing_address: nullable(
      Type.Object(AddressMembers, { description: 'Billing address. Null if it was not collected.' }),
    ),
    shipping_address: nullable(
      Type.Object(AddressMembers, { description: 'Shipping address. Null if it was not collected.' }),
    ),
    custom_fields: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Values of the custom fields, by key.',
      examples: [{ size: 'M' }],
    }),
  },
  { description: 'Details that the payer entered. Null before the payer submits the form.' },
)

export const CheckoutSessionObject = Type.Object(
  {
    id: IdOf('checkout_session'),
    object: Type.Literal('checkout_session'),
    status: OneOf(statuses, {
      description: '`processing`: a payment is in progress, or its outcome is not known yet.',
      loggable: true,
    }),
    payment_status: OneOf(['unpaid', 'pending', 'paid', 'failed'], {
      description:
        '`pending`: the session is completed by a debit, which the bank has not confirmed yet. `failed`: the bank has rejected that debit.',
      loggable: true,
    }),
    url: nullable(
      Type.String({
        description:
          'URL of the hosted payment page. It contains the client secret and is returned only once, on creation. Null otherwise.',
        examples: ['https://pay.example.com/c/checkout_session_01M7CYVSCBEAKS6M475NRJM4KW#cs_AZEmpQ8m'],
      }),
    ),
    client_secret: nullable(
      Type.String({
        description:
          'Secret for your own payment page, sent in the `Checkout-Secret` header. It is returned only once, on creation. Null otherwise.',
        examples: ['cs_AZEmpQ8m'],
      }),
    ),
    ...cartMembers,
    discounts: Type.Array(DiscountObject, {
      description:
        'Discounts of the subscription that is sold, or of the promotion code that the payer entered. The session reserves a redemption of each, and releases it if it expires. The redemption of a code is also released if the payment fails.',
      examples: [[]],
    }),
    discount_total: Type.Integer({
      description:
        'Discount of the promotion code that the payer entered, in minor units. 0 without a code. `amount` is the amount that is charged.',
      examples: [0],
    }),
    customer_id: nullable(IdOf('customer', 'Customer that the payment belongs to. Null if there is none.')),
    card_update: nullableWithNullExample(
      Type.Object(
        {
          subscription_id: nullable(
            IdOf(
              'subscription',
              'Subscription whose card is replaced. Null: all subscriptions of the customer.',
            ),
          ),
        },
        {
          description:
            'Set if the card of the completed session replaces the card of subscriptions. Null otherwise.',
        },
      ),
    ),
    payment_route_id: nullable(
      IdOf('payment_route', 'Route that selects the provider account. Null: the default route.'),
    ),
    capture_method: captureMethod,
    ...payerDetailsMembers,
    ...savedMethodsMember,
    ...promotionCodesMember,
    invoice_id: nullable(IdOf('invoice', 'Invoice that the session pays. Null for other sessions.')),
    payment_link_id: nullable(
      IdOf('payment_link', 'Payment link that the session was opened from. Null if there is none.'),
    ),
    payment_id: nullableWithNullExample(
      IdOf('payment', 'Latest payment of the session. Null if there is none.'),
    ),
    payment_method_id: nullableWithNullExample(
      IdOf(
        'payment_method',
        'Card that the completed session stored for the customer. Null if no card was stored.',
      ),
    ),
    subscription_id: nullableWithNullExample(
      IdOf('subscription', 'Subscription that the completed session created. Null if there is none.'),
    ),
    tries_left: Type.Integer({
      description: `Number of payments that may still fail before the session expires. Starts at ${maxDeclines}.`,
      examples: [maxDeclines],
      loggable: true,
    }),
    payer: nullable(PayerObject),
    success_url: nullable(successUrl),
    cancel_url: nullable(cancelUrl),
    locale,
    description,
    completed_at: nullableWithNullExample({
      ...Time,
      description: 'Time the session was completed. Null if it is not completed.',
    }),
    receipt_sent_at: nullableWithNullExample(
      Type.String({
        format: 'date-time',
        description:
          'Time the receipt was emailed. Null if no receipt was sent. In test workspaces, receipts are sent only to email addresses of members of the organization.',
        examples: ['2026-11-14T12:00:00.000Z'],
      }),
    ),
    expires_at: { ...Time, description: 'Expiry time of the session.' },
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'CheckoutSession',
    description: "One payer's checkout: what to pay, the payment page and the result.",
  },
)

export const CheckoutSessionPath = Type.Object({ checkout_session_id: IdOf('checkout_session') })

export const CreateCheckoutSession = Type.Object(
  {
    ...cartInput,
    ...payerDetailsInput,
    ...savedMethodsInput,
    ...promotionCodesInput,
    discounts: Type.Optional({
      ...discounts,
      description:
        'Discounts of the subscription that is sold, in the order in which they apply to its recurring items. Only in `subscription` mode.',
    }),
    customer_id: Type.Optional(IdOf('customer', 'Customer that the payment belongs to.')),
    payment_route_id: Type.Optional(
      IdOf('payment_route', 'Route that selects the provider account. Default: the default route.'),
    ),
    capture_method: Type.Optional({ ...captureMethod, default: 'automatic' }),
    success_url: Type.Optional(successUrl),
    cancel_url: Type.Optional(cancelUrl),
    locale: Type.Optional(locale),
    description: Type.Optional(description),
    expires_at: Type.Optional({
      ...Time,
      description: 'Time the session expires. Default and maximum: 24 hours from now.',
    }),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CreateCheckoutSession = Static<typeof CreateCheckoutSession>

export const UpdatePaymentMethodLink = Type.Object(
  {
    subscription_id: Type.Optional(
      IdOf(
        'subscription',
        'Subscription whose card is replaced. Default: all subscriptions of the customer.',
      ),
    ),
    return_url: Type.Optional(
      webUrl('URL that the customer is redirected to after entering the card, or after cancelling.'),
    ),
  },
  { additionalProperties: false },
)
export type UpdatePaymentMethodLink = Static<typeof UpdatePaymentMethodLink>

export const ListCheckoutSessions = {
  payment_link_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only sessions opened from this payment link.' }),
  ),
}

export function present(session: CheckoutSession): Static<typeof CheckoutSessionObject> {
  return {
    id: session.id,
    object: 'checkout_session',
    status: session.status,
    payment_status: session.paymentStatus ?? (session.status === 'completed' ? 'paid' : 'unpaid'),
    url: null,
    client_secret: null,
    mode: session.mode,
    subscription: session.subscription,
    ...presentCart(session),
    ...presentAmount(session),
    discounts: session.discounts.map(presentDiscount),
    customer_id: session.customerId,
    card_update: session.cardUpdate === null ? null : { subscription_id: session.cardUpdate.subscriptionId },
    payment_route_id: session.paymentRouteId,
    capture_method: session.captureMethod,
    collect: [...session.collect],
    custom_fields: session.customFields.map((field) => ({ ...field, options: [...field.options] })),
    saved_methods: session.savedMethods,
    allow_promotion_codes: session.allowPromotionCodes,
    invoice_id: session.invoiceId,
    payment_link_id: session.paymentLinkId,
    payment_id: session.paymentId,
    payment_method_id: session.paymentMethodId,
    subscription_id: session.subscriptionId,
    tries_left: triesLeft(session),
    payer:
      session.payer === null ? null : { ...session.payer, custom_fields: { ...session.payer.custom_fields } },
    success_url: session.successUrl,
    cancel_url: session.cancelUrl,
    locale: session.locale,
    description: session.description,
    completed_at: session.completedAt?.toISOString() ?? null,
    receipt_sent_at: session.receiptSentAt?.toISOString() ?? null,
    expires_at: session.expiresAt.toISOString(),
    metadata: { ...session.metadata },
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
  }
}

/** The amount that is charged. For a subscription, the stored amount is the first charge, after discounts. */
export function presentAmount(session: CheckoutSession) {
  const { amount } = presentCart(session)
  const { mode, discountTotal } = session
  const total = Number(discountTotal ?? 0n)
  const isReduced = mode === 'payment' && amount !== null
  return { amount: isReduced ? amount - total : amount, discount_total: total }
}

export type CreatedSession = {
  readonly session: CheckoutSession
  readonly secret: string
  readonly url: string
}

/** Includes `url` and `client_secret`, which are returned only on creation. */
export function presentCreated({
  session,
  secret,
  url,
}: CreatedSession): Static<typeof CheckoutSessionObject> {
  return { ...present(session), url, client_secret: secret }
}

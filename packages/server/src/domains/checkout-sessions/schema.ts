import { type Static, Type } from 'typebox'
import { IdOf, Metadata, MetadataChange, mostlyNull, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import { AddressMembers, members as customerMembers } from '../customers/schema.ts'
import {
  askedInput,
  askedMembers,
  cartInput,
  cartMembers,
  presentCart,
} from '../payment-links/schema/cart.ts'
import { statuses } from './machine.ts'
import { type CheckoutSession, mostDeclines, triesLeft } from './session.ts'

const { locale } = customerMembers
const description = nullable(
  Type.String({ minLength: 1, maxLength: 5000, description: 'What it is for. The payer sees it.' }),
)
const captureMethod = OneOf(['automatic', 'manual'], {
  description: '`manual`: the amount is held, and taken when you capture the payment.',
})
const address = (description: string) =>
  Type.String({ format: 'uri', maxLength: 2048, description, examples: ['https://shop.example.com/thanks'] })
const successUrl = address('Where payers go after they have paid, with `checkout_session_id` added.')
const cancelUrl = address('Where payers go who do not want to pay.')

export const PayerObject = Type.Object(
  {
    name: nullable(Type.String({ description: 'What the payer is called.' })),
    email: nullable(Type.String({ description: 'Where the receipt goes.' })),
    phone: nullable(Type.String({ description: 'A telephone number.' })),
    billing_address: nullable(Type.Object(AddressMembers, { description: 'Where the bill goes.' })),
    shipping_address: nullable(Type.Object(AddressMembers, { description: 'Where the goods go.' })),
    custom_fields: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Answers to your own questions, by their keys.',
      examples: [{ size: 'M' }],
    }),
  },
  { description: 'What the payer typed beside the card.' },
)

export const CheckoutSessionObject = Type.Object(
  {
    id: IdOf('checkout_session'),
    object: Type.Literal('checkout_session'),
    status: OneOf(statuses, {
      description: '`processing`: a payment is under way, or it is not known yet what became of it.',
      loggable: true,
    }),
    url: nullable(
      Type.String({
        description: 'The address of the page for the payer. It holds the secret, and is shown once.',
        examples: ['https://pay.example.com/c/checkout_session_01M7CYVSCBEAKS6M475NRJM4KW#cs_AZEmpQ8m'],
      }),
    ),
    client_secret: nullable(
      Type.String({
        description: 'For a page of yours, as the header `Checkout-Secret`. It is shown once.',
        examples: ['cs_AZEmpQ8m'],
      }),
    ),
    ...cartMembers,
    customer_id: nullable(IdOf('customer', 'Whose payment this is.')),
    payment_route_id: nullable(IdOf('payment_route', 'The route that decides. Null: the default one.')),
    capture_method: captureMethod,
    ...askedMembers,
    payment_link_id: nullable(IdOf('payment_link', 'The link by which it was opened.')),
    payment_id: mostlyNull(IdOf('payment', 'The payment that was tried last.')),
    tries_left: Type.Integer({
      description: `How many payments may still fail in it; ${mostDeclines} at first.`,
      examples: [mostDeclines],
      loggable: true,
    }),
    payer: nullable(PayerObject),
    success_url: nullable(successUrl),
    cancel_url: nullable(cancelUrl),
    locale,
    description,
    completed_at: mostlyNull(Time),
    expires_at: Time,
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  {
    $id: 'CheckoutSession',
    description: 'One visit of one payer: what is to be paid, the page for it, and what came of it.',
  },
)

export const CheckoutSessionPath = Type.Object({ checkout_session_id: IdOf('checkout_session') })

export const CreateCheckoutSession = Type.Object(
  {
    ...cartInput,
    ...askedInput,
    customer_id: Type.Optional(IdOf('customer', 'Whose payment this is.')),
    payment_route_id: Type.Optional(IdOf('payment_route', 'The route that decides.')),
    capture_method: Type.Optional({ ...captureMethod, default: 'automatic' }),
    success_url: Type.Optional(successUrl),
    cancel_url: Type.Optional(cancelUrl),
    locale: Type.Optional(locale),
    description: Type.Optional(description),
    expires_at: Type.Optional({
      ...Time,
      description:
        'Until when it can be paid: 24 hours from now, unless it says otherwise, and no later than that.',
    }),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CreateCheckoutSession = Static<typeof CreateCheckoutSession>

export const ListCheckoutSessions = {
  payment_link_id: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only those that were opened by this link.' }),
  ),
}

export function present(session: CheckoutSession): Static<typeof CheckoutSessionObject> {
  return {
    id: session.id,
    object: 'checkout_session',
    status: session.status,
    url: null,
    client_secret: null,
    ...presentCart(session),
    customer_id: session.customerId,
    payment_route_id: session.paymentRouteId,
    capture_method: session.captureMethod,
    collect: [...session.collect],
    custom_fields: session.customFields.map((field) => ({ ...field, options: [...field.options] })),
    payment_link_id: session.paymentLinkId,
    payment_id: session.paymentId,
    tries_left: triesLeft(session),
    payer:
      session.payer === null ? null : { ...session.payer, custom_fields: { ...session.payer.custom_fields } },
    success_url: session.successUrl,
    cancel_url: session.cancelUrl,
    locale: session.locale,
    description: session.description,
    completed_at: session.completedAt?.toISOString() ?? null,
    expires_at: session.expiresAt.toISOString(),
    metadata: { ...session.metadata },
    created_at: session.createdAt.toISOString(),
    updated_at: session.updatedAt.toISOString(),
  }
}

export type OpenedSession = {
  readonly session: CheckoutSession
  readonly secret: string
  readonly url: string
}

/** With what is shown once. */
export function presentOpened({ session, secret, url }: OpenedSession): Static<typeof CheckoutSessionObject> {
  return { ...present(session), url, client_secret: secret }
}

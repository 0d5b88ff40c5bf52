import { type Static, Type } from 'typebox'
import { IdOf, Metadata, MetadataChange, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import { members as customerMembers } from '../customers/schema.ts'
import { statuses } from './machine.ts'
import type { AddressedLink } from './payment-link.ts'
import { askedInput, askedMembers, cartInput, cartMembers, presentCart } from './schema/cart.ts'

const typeText = '`page`: ours, with a sentence of yours. `redirect`: yours.'

const { locale } = customerMembers
const description = nullable(
  Type.String({ minLength: 1, maxLength: 5000, description: 'What it is for. The payer sees it.' }),
)
const captureMethod = OneOf(['automatic', 'manual'], {
  description: '`manual`: the amount is held, and taken when you capture the payment.',
})
const maxCompletions = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'How many may pay. Null: as many as want to.',
    examples: [1],
  }),
)
const url = Type.String({
  format: 'uri',
  maxLength: 2048,
  description: 'Where payers go after they have paid, with `checkout_session_id` added. For `redirect`.',
  examples: ['https://shop.example.com/thanks'],
})
const message = nullable(
  Type.String({ minLength: 1, maxLength: 500, description: 'A sentence on the page, for `page`.' }),
)
const AfterCompletion = Type.Object(
  { type: OneOf(['page', 'redirect'], { description: typeText }), message, url: nullable(url) },
  {
    description: 'What payers see when they have paid: our page, or yours.',
    examples: [{ type: 'page', message: null, url: null }],
  },
)

export const PaymentLinkObject = Type.Object(
  {
    id: IdOf('payment_link'),
    object: Type.Literal('payment_link'),
    url: Type.String({
      description: 'The address for the payer.',
      examples: ['https://pay.example.com/l/AZEmpQ8mdwcKSjF0xg1Fzw'],
    }),
    status: OneOf(statuses, { description: 'Only one that is `active` can be paid.', loggable: true }),
    ...cartMembers,
    max_completions: maxCompletions,
    completed_count: Type.Integer({ description: 'How many have paid.', examples: [0], loggable: true }),
    customer_id: nullable(IdOf('customer', 'Whose payments these are.')),
    payment_route_id: nullable(IdOf('payment_route', 'The route that decides. Null: the default one.')),
    capture_method: captureMethod,
    ...askedMembers,
    after_completion: AfterCompletion,
    locale,
    description,
    expires_at: Time,
    metadata: Metadata,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'PaymentLink', description: 'An address at which somebody can pay, as often as you allow.' },
)

export const PaymentLinkPath = Type.Object({ payment_link_id: IdOf('payment_link') })

const changeable = {
  max_completions: Type.Optional(maxCompletions),
  expires_at: Type.Optional({
    ...Time,
    description: 'Until when it can be paid; 30 days, if it is not said.',
  }),
  customer_id: Type.Optional(nullable(IdOf('customer', 'Whose payments these are.'))),
  payment_route_id: Type.Optional(nullable(IdOf('payment_route', 'The route that decides.'))),
  ...askedInput,
  after_completion: Type.Optional(
    Type.Object(
      {
        type: OneOf(['page', 'redirect'], { description: typeText }),
        message: Type.Optional(message),
        url: Type.Optional(url),
      },
      {
        additionalProperties: false,
        description: 'What payers see when they have paid: our page, or yours.',
      },
    ),
  ),
  locale: Type.Optional(locale),
  description: Type.Optional(description),
  metadata: Type.Optional(MetadataChange),
}

export const CreatePaymentLink = Type.Object(
  {
    ...cartInput,
    ...changeable,
    max_completions: Type.Optional({ ...maxCompletions, default: 1 }),
    capture_method: Type.Optional({ ...captureMethod, default: 'automatic' }),
  },
  { additionalProperties: false },
)
export type CreatePaymentLink = Static<typeof CreatePaymentLink>

export const UpdatePaymentLink = Type.Object(changeable, { additionalProperties: false })
export type UpdatePaymentLink = Static<typeof UpdatePaymentLink>

export const ListPaymentLinks = {
  status: Type.Optional(OneOf(statuses, { description: 'Only those of this status.' })),
}

export function present(link: AddressedLink): Static<typeof PaymentLinkObject> {
  const { afterCompletion: after } = link
  return {
    id: link.id,
    object: 'payment_link',
    url: link.url,
    status: link.status,
    ...presentCart(link),
    max_completions: link.maxCompletions,
    completed_count: link.completedCount,
    customer_id: link.customerId,
    payment_route_id: link.paymentRouteId,
    capture_method: link.captureMethod,
    collect: [...link.collect],
    custom_fields: link.customFields.map((field) => ({ ...field, options: [...field.options] })),
    after_completion:
      after.type === 'page' ? { ...after, url: null } : { type: after.type, message: null, url: after.url },
    locale: link.locale,
    description: link.description,
    expires_at: link.expiresAt.toISOString(),
    metadata: { ...link.metadata },
    created_at: link.createdAt.toISOString(),
    updated_at: link.updatedAt.toISOString(),
  }
}

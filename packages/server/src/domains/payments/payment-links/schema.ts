import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  OneOf,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { members as customerMembers } from '../customers/schema.ts'
import { statuses } from './machine.ts'
import type { LinkWithUrl } from './payment-link.ts'
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
} from './schema/cart.ts'

const afterCompletionTypeText =
  '`page`: show a hosted confirmation page with your message. `redirect`: redirect to your URL.'

const { locale } = customerMembers
const description = nullable(
  Type.String({ minLength: 1, maxLength: 5000, description: 'Description shown to the payer.' }),
)
const captureMethod = OneOf(['automatic', 'manual'], {
  description:
    '`automatic`: the amount is captured when it is authorized. `manual`: the amount is authorized only, and you capture the payment later.',
})
const maxCompletions = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 1_000_000,
    description: 'Maximum number of payments. Null: unlimited.',
    examples: [1],
  }),
)
const url = Type.String({
  format: 'uri',
  maxLength: 2048,
  description:
    'URL that payers are redirected to after paying. `checkout_session_id` is added to the query. For the type `redirect`.',
  examples: ['https://shop.example.com/thanks'],
})
const message = nullable(
  Type.String({
    minLength: 1,
    maxLength: 500,
    description: 'Message on the confirmation page. For the type `page`.',
  }),
)
const AfterCompletion = Type.Object(
  {
    type: OneOf(['page', 'redirect'], { description: afterCompletionTypeText }),
    message,
    url: nullable(url),
  },
  {
    description: 'What payers see after paying: a hosted confirmation page or a redirect to your URL.',
    examples: [{ type: 'page', message: null, url: null }],
  },
)

export const PaymentLinkObject = Type.Object(
  {
    id: IdOf('payment_link'),
    object: Type.Literal('payment_link'),
    url: Type.String({
      description: 'URL of the hosted payment page.',
      examples: ['https://pay.example.com/l/AZEmpQ8mdwcKSjF0xg1Fzw'],
    }),
    status: OneOf(statuses, { description: 'Only an `active` link can be paid.', loggable: true }),
    ...cartMembers,
    max_completions: maxCompletions,
    completed_count: Type.Integer({
      description: 'Number of completed payments.',
      examples: [0],
      loggable: true,
    }),
    customer_id: nullable(IdOf('customer', 'Customer that the payments belong to. Null if there is none.')),
    payment_route_id: nullable(
      IdOf('payment_route', 'Route that selects the provider account. Null: the default route.'),
    ),
    capture_method: captureMethod,
    ...payerDetailsMembers,
    ...savedMethodsMember,
    ...promotionCodesMember,
    after_completion: AfterCompletion,
    locale,
    description,
    expires_at: { ...Time, description: 'Expiry time.' },
    metadata: Metadata,
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'PaymentLink',
    description: 'A hosted payment page with a shareable URL, which can be paid once or several times.',
  },
)

export const PaymentLinkPath = Type.Object({ payment_link_id: IdOf('payment_link') })

const updatableMembers = {
  max_completions: Type.Optional(maxCompletions),
  expires_at: Type.Optional({
    ...Time,
    description: 'Time the link expires. Default: in 30 days.',
  }),
  customer_id: Type.Optional(nullable(IdOf('customer', 'Customer that the payments belong to.'))),
  payment_route_id: Type.Optional(
    nullable(IdOf('payment_route', 'Route that selects the provider account.')),
  ),
  ...payerDetailsInput,
  ...savedMethodsInput,
  ...promotionCodesInput,
  after_completion: Type.Optional(
    Type.Object(
      {
        type: OneOf(['page', 'redirect'], { description: afterCompletionTypeText }),
        message: Type.Optional(message),
        url: Type.Optional(url),
      },
      {
        additionalProperties: false,
        description: 'What payers see after paying: a hosted confirmation page or a redirect to your URL.',
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
    ...updatableMembers,
    max_completions: Type.Optional({ ...maxCompletions, default: 1 }),
    capture_method: Type.Optional({ ...captureMethod, default: 'automatic' }),
  },
  { additionalProperties: false },
)
export type CreatePaymentLink = Static<typeof CreatePaymentLink>

export const UpdatePaymentLink = Type.Object(updatableMembers, { additionalProperties: false })
export type UpdatePaymentLink = Static<typeof UpdatePaymentLink>

export const ListPaymentLinks = {
  status: Type.Optional(OneOf(statuses, { description: 'Only payment links with this status.' })),
}

export function present(link: LinkWithUrl): Static<typeof PaymentLinkObject> {
  const { afterCompletion: after } = link
  return {
    id: link.id,
    object: 'payment_link',
    url: link.url,
    status: link.status,
    mode: link.mode,
    subscription: link.subscription,
    ...presentCart(link),
    max_completions: link.maxCompletions,
    completed_count: link.completedCount,
    customer_id: link.customerId,
    payment_route_id: link.paymentRouteId,
    capture_method: link.captureMethod,
    collect: [...link.collect],
    custom_fields: link.customFields.map((field) => ({ ...field, options: [...field.options] })),
    saved_methods: link.savedMethods,
    allow_promotion_codes: link.allowPromotionCodes,
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

import { type Static, Type } from 'typebox'
import { CreatedAt, IdOf, nullable, nullableWithNullExample, OneOf, Time } from '../../../kernel/shapes.ts'
import { maxSwitchPrices, type PortalConfiguration, type PortalSession } from './portal.ts'

const returnUrl = Type.String({
  format: 'uri',
  maxLength: 2048,
  description: 'URL to which the customer returns from the portal.',
  examples: ['https://shop.example.com/account'],
})

export const PortalSessionObject = Type.Object(
  {
    id: IdOf('portal_session'),
    object: Type.Literal('portal_session'),
    customer_id: IdOf('customer', 'Customer that the session belongs to.'),
    url: Type.String({
      description:
        'URL of the portal. It contains the secret of the session, and is returned only once. Redirect the customer to it.',
      examples: ['https://pay.example.com/p/AZqC4F8bcd0'],
    }),
    return_url: nullable(returnUrl),
    expires_at: { ...Time, description: 'Expiry time: 30 minutes after the session was created.' },
    created_at: CreatedAt,
  },
  {
    $id: 'PortalSession',
    description: 'One customer’s access to the customer portal, valid for 30 minutes.',
  },
)

const flow = Type.Object(
  {
    type: OneOf(['update_payment_method', 'cancel', 'pause', 'resume', 'switch'], {
      description: 'Page that the URL opens, instead of the overview.',
    }),
    subscription_id: Type.Optional(
      IdOf('subscription', 'Subscription to change. Required for all types except `update_payment_method`.'),
    ),
  },
  { additionalProperties: false, description: 'Opens one page of the portal directly.' },
)

export const CreatePortalSession = Type.Object(
  {
    customer_id: IdOf('customer', 'Customer who opens the portal.'),
    return_url: Type.Optional(returnUrl),
    flow: Type.Optional(flow),
  },
  { additionalProperties: false },
)
export type CreatePortalSession = Static<typeof CreatePortalSession>

const switchable = (description: string) => Type.Boolean({ description, examples: [true] })
const members = {
  payment_methods: switchable('Whether customers see their cards, and can replace them.'),
  invoices: switchable('Whether customers see their invoices, and can pay and download them.'),
  address: switchable('Whether customers can change their name, e-mail address and postal address.'),
  cancel: switchable('Whether customers can cancel a subscription at the end of its period.'),
  pause: Type.Boolean({
    description: 'Whether customers can pause a subscription at the end of its period, and resume it.',
    examples: [false],
  }),
  switch_plan: nullableWithNullExample(
    Type.Object(
      {
        price_ids: Type.Array(IdOf('price'), {
          minItems: 1,
          maxItems: maxSwitchPrices,
          description: 'Recurring prices that customers can switch to.',
        }),
      },
      {
        additionalProperties: false,
        description: 'Whether customers can switch to another price. Null: they cannot.',
      },
    ),
  ),
}

export const PortalConfigurationObject = Type.Object(
  {
    object: Type.Literal('portal_configuration'),
    ...members,
    cancellation_url: Type.String({
      description:
        'Public page on which subscribers cancel a contract or withdraw from it without signing in. Link to it from your site.',
      examples: ['https://pay.example.com/k/AZqC4F8bcd0'],
    }),
  },
  { $id: 'PortalConfiguration', description: 'What customers can see and change in the customer portal.' },
)

export const UpdatePortalConfiguration = Type.Object(
  {
    payment_methods: Type.Optional(members.payment_methods),
    invoices: Type.Optional(members.invoices),
    address: Type.Optional(members.address),
    cancel: Type.Optional(members.cancel),
    pause: Type.Optional(members.pause),
    switch_plan: Type.Optional(members.switch_plan),
  },
  { additionalProperties: false },
)
export type UpdatePortalConfiguration = Static<typeof UpdatePortalConfiguration>

export type CreatedPortalSession = { readonly session: PortalSession; readonly url: string }

export function presentSession({ session, url }: CreatedPortalSession): Static<typeof PortalSessionObject> {
  return {
    id: session.id,
    object: 'portal_session',
    customer_id: session.customerId,
    url,
    return_url: session.returnUrl,
    expires_at: session.expiresAt.toISOString(),
    created_at: session.createdAt.toISOString(),
  }
}

export function presentConfiguration(
  configuration: PortalConfiguration & { readonly cancellationUrl: string },
): Static<typeof PortalConfigurationObject> {
  const { paymentMethods, invoices, address, cancel, pause, switchPrices } = configuration
  return {
    object: 'portal_configuration',
    payment_methods: paymentMethods,
    invoices,
    address,
    cancel,
    pause,
    cancellation_url: configuration.cancellationUrl,
    switch_plan: switchPrices.length === 0 ? null : { price_ids: [...switchPrices] },
  }
}

/**
 * The requests of payers. The hosted page sends the card itself, or a token of the fields of a provider or vault; merchant pages send a card token to the API.
 */
import { type Static, Type } from 'typebox'
import { nullable } from '../../../../kernel/shapes.ts'
import { CardInput, ProviderToken, VaultToken } from '../../card-tokens/schema.ts'
import { AddressMembers } from '../../customers/schema.ts'
import { BrowserInput } from '../../payment-methods/schema/device.ts'

const PostalAddress = nullable(Type.Partial(Type.Object(AddressMembers), { additionalProperties: false }))

const payerInput = {
  amount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 999_999_999_999,
      description: 'Amount that the payer chose, in minor units. Only for an open amount.',
    }),
  ),
  quantities: Type.Optional(
    Type.Array(Type.Integer({ minimum: 1, maximum: 10_000 }), {
      maxItems: 20,
      description: 'Quantities that the payer chose, one per line item. Only in the mode `subscription`.',
    }),
  ),
  email: Type.Optional(
    nullable(
      Type.String({
        format: 'email',
        maxLength: 254,
        description: 'Email address that the receipt is sent to.',
      }),
    ),
  ),
  name: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 200, description: 'Name of the payer.' })),
  ),
  phone: Type.Optional(
    nullable(
      Type.String({
        pattern: '^[+0-9 ()./-]{4,40}$',
        description: 'Phone number.',
        faultDetail: 'must be a phone number',
        maxLength: 40,
      }),
    ),
  ),
  billing_address: Type.Optional({ ...PostalAddress, description: 'Billing address.' }),
  shipping_address: Type.Optional({ ...PostalAddress, description: 'Shipping address.' }),
  browser: Type.Optional(BrowserInput),
  custom_fields: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: 3,
      additionalProperties: { type: 'string', maxLength: 500 },
      description: 'Values of the custom fields of the session, by key.',
    }),
  ),
}

export const ConfirmWithToken = Type.Object(
  {
    token: Type.String({
      maxLength: 100,
      description: 'Card token. It can be used once, even if the payment fails.',
    }),
    ...payerInput,
  },
  { additionalProperties: false },
)
export type ConfirmWithToken = Static<typeof ConfirmWithToken>

export const ConfirmWithCard = Type.Object(
  {
    card: Type.Optional(CardInput),
    provider_token: Type.Optional(ProviderToken),
    vault_token: Type.Optional(VaultToken),
    ...payerInput,
    return_url: Type.Optional(
      Type.String({
        maxLength: 2_000,
        description:
          'URL of the page to which the payer returns after authentication. Its origin must be one of `elements.allowed_origins` of the workspace. Default: the hosted page.',
      }),
    ),
  },
  { additionalProperties: false },
)
export type ConfirmWithCard = Static<typeof ConfirmWithCard>

export const OpenLink = Type.Object(
  {
    amount: payerInput.amount,
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 99 })),
  },
  { additionalProperties: false },
)
export type OpenLink = Static<typeof OpenLink>

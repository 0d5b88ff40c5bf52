/**
 * The requests of payers. The hosted page sends the card itself, or a token of the fields of a provider or vault; merchant pages send a card token to the API.
 */
import { type Static, Type } from 'typebox'
import { nullable } from '../../../../kernel/shapes.ts'
import { CardInput, debitInputs, ProviderToken, RedirectInput, VaultToken } from '../../card-tokens/schema.ts'
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
  save_card: Type.Optional(
    Type.Boolean({
      description:
        'Whether the payer agrees that the card is saved for later payments. Only if `saved_methods.save` of the session is `ask`.',
    }),
  ),
  custom_fields: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: 3,
      additionalProperties: { type: 'string', maxLength: 500 },
      description: 'Values of the custom fields of the session, by key.',
    }),
  ),
}

const promotionCode = Type.String({
  minLength: 1,
  maxLength: 50,
  description: 'Promotion code that the payer entered. Only if the session allows promotion codes.',
})

export const CheckPromotionCode = Type.Object(
  {
    promotion_code: promotionCode,
    amount: payerInput.amount,
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 99 })),
    quantities: payerInput.quantities,
  },
  { additionalProperties: false },
)
export type CheckPromotionCode = Static<typeof CheckPromotionCode>

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
    payment_method_id: Type.Optional(
      Type.String({ maxLength: 100, description: 'Saved card of the payer. Sent instead of a card.' }),
    ),
    payer_secret: Type.Optional(
      Type.String({
        maxLength: 200,
        description: 'Proves that the payer has entered the code from an e-mail to their address.',
      }),
    ),
    promotion_code: Type.Optional(promotionCode),
    ...debitInputs,
    ideal: RedirectInput('ideal'),
    bancontact: RedirectInput('bancontact'),
    paypal: RedirectInput('paypal'),
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

export const RequestLoginCode = Type.Object(
  {
    email: Type.String({ format: 'email', maxLength: 254, description: 'Address that the code is sent to.' }),
  },
  { additionalProperties: false },
)
export type RequestLoginCode = Static<typeof RequestLoginCode>

export const EnterLoginCode = Type.Object(
  { code: Type.String({ pattern: '^[0-9]{6}$', faultDetail: 'must have six digits' }) },
  { additionalProperties: false },
)
export type EnterLoginCode = Static<typeof EnterLoginCode>

export const OpenLink = Type.Object(
  {
    amount: payerInput.amount,
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 99 })),
  },
  { additionalProperties: false },
)
export type OpenLink = Static<typeof OpenLink>

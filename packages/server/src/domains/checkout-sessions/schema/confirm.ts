/** What payers send: with the card itself to our own page's door, with a token of it to the API. */
import { type Static, Type } from 'typebox'
import { nullable } from '../../../kernel/shapes.ts'
import { TypedCard } from '../../card-tokens/schema.ts'
import { AddressMembers } from '../../customers/schema.ts'

const PostalAddress = nullable(Type.Partial(Type.Object(AddressMembers), { additionalProperties: false }))

const payerInput = {
  amount: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 999_999_999_999,
      description: 'What the payer chose, of an open amount.',
    }),
  ),
  email: Type.Optional(
    nullable(Type.String({ format: 'email', maxLength: 254, description: 'Where the receipt goes.' })),
  ),
  name: Type.Optional(
    nullable(Type.String({ minLength: 1, maxLength: 200, description: 'What the payer is called.' })),
  ),
  phone: Type.Optional(
    nullable(
      Type.String({
        pattern: '^[+0-9 ()./-]{4,40}$',
        description: 'A telephone number.',
        faultDetail: 'must be a telephone number',
        maxLength: 40,
      }),
    ),
  ),
  billing_address: Type.Optional({ ...PostalAddress, description: 'Where the bill goes.' }),
  shipping_address: Type.Optional({ ...PostalAddress, description: 'Where the goods go.' }),
  custom_fields: Type.Optional(
    Type.Unsafe<Record<string, string>>({
      type: 'object',
      maxProperties: 3,
      additionalProperties: { type: 'string', maxLength: 500 },
      description: 'Answers to the questions of the session, by their keys.',
    }),
  ),
}

export const ConfirmWithToken = Type.Object(
  {
    token: Type.String({ maxLength: 100, description: 'A card token. It is used up, whatever comes of it.' }),
    ...payerInput,
  },
  { additionalProperties: false },
)
export type ConfirmWithToken = Static<typeof ConfirmWithToken>

export const ConfirmWithCard = Type.Object(
  { card: TypedCard, ...payerInput },
  { additionalProperties: false },
)
export type ConfirmWithCard = Static<typeof ConfirmWithCard>

export const OpenByLink = Type.Object(
  {
    amount: payerInput.amount,
    quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 99 })),
  },
  { additionalProperties: false },
)
export type OpenByLink = Static<typeof OpenByLink>

import { type Static, Type } from 'typebox'
import { IdOf, mostlyNull, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import { brands, type CardToken, fundings, tokenTypes } from './card-token.ts'
import { confirmation, type Vault, vaultStatuses } from './vault.ts'

const brand = OneOf(brands, { description: 'The network of the card.', examples: ['visa'] })
const last4 = Type.String({
  pattern: '^[0-9]{4}$',
  description: 'The last four digits of the number.',
  examples: ['4242'],
  faultDetail: 'must be four digits',
})
const expMonth = Type.Integer({
  minimum: 1,
  maximum: 12,
  description: 'The month after which the card is over.',
  examples: [12],
})
const expYear = Type.Integer({ minimum: 2000, maximum: 2099, description: 'Four digits.', examples: [2030] })
const funding = nullable(OneOf(fundings, { description: 'Null if it is not known.' }))
const country = nullable(
  Type.String({
    pattern: '^[A-Z]{2}$',
    description: 'Where it was issued, as two letters of ISO 3166-1; null if it is not known.',
    examples: ['US'],
    faultDetail: 'must be two capital letters',
  }),
)

const ShownCard = Type.Object(
  { brand, last4, exp_month: expMonth, exp_year: expYear, funding, country },
  { description: 'What may be shown of the card.' },
)

export const TokenObject = Type.Object(
  {
    id: IdOf('token'),
    object: Type.Literal('token'),
    type: OneOf(tokenTypes, { description: 'Where the card data is: with Switchyard, or with a provider.' }),
    card: ShownCard,
    used: Type.Boolean({ description: 'Whether a payment has tried it. It is for one, declined or not.' }),
    expires_at: Time,
    created_at: Time,
  },
  {
    $id: 'Token',
    description: 'A card that was typed, for one payment or one payment method, within 15 minutes.',
  },
)

/** Nothing of it is ever logged: in a body that is refused, a number may stand in any place. */
export const TypedCard = Type.Object(
  {
    number: Type.String({
      pattern: '^[0-9](?:[ -]?[0-9]){11,18}$',
      description: 'Digits, with spaces or dashes between them or not.',
      examples: ['4242 4242 4242 4242'],
      faultDetail: 'must be 12 to 19 digits, with spaces or dashes between them or not',
    }),
    exp_month: expMonth,
    exp_year: expYear,
    cvc: Type.Optional(
      Type.String({
        pattern: '^[0-9]{3,4}$',
        description:
          'The security code. It is forgotten when the payment ends, at the latest after 15 minutes.',
        examples: ['123'],
        faultDetail: 'must be 3 or 4 digits',
      }),
    ),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The name on the card. It is kept with the number, and shown nowhere.',
        examples: ['Ada Lovelace'],
      }),
    ),
  },
  {
    additionalProperties: false,
    loggable: false,
    description: 'For the type `card`: the card as it was typed.',
  },
)

const ProviderToken = Type.Object(
  {
    provider_account_id: IdOf('provider_account', 'The account whose provider made the token.'),
    token: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'What the fields of the provider gave. It can be used at this account alone.',
      examples: ['tok_1PqX'],
    }),
    card: Type.Object(
      {
        brand,
        last4,
        exp_month: expMonth,
        exp_year: expYear,
        funding: Type.Optional(funding),
        country: Type.Optional(country),
        bin: Type.Optional(
          nullable(
            Type.String({
              pattern: '^[0-9]{6}$',
              description: 'The first six digits of the number, for routes that ask for them.',
              examples: ['424242'],
              faultDetail: 'must be six digits',
            }),
          ),
        ),
      },
      { additionalProperties: false, loggable: false, description: 'What the provider tells of the card.' },
    ),
  },
  { additionalProperties: false, description: 'For the type `provider_token`: no number ever reaches us.' },
)

export const CreateToken = Type.Object(
  {
    type: OneOf(tokenTypes, { description: 'Which of the two members below is sent.' }),
    card: Type.Optional(TypedCard),
    provider_token: Type.Optional(ProviderToken),
  },
  { additionalProperties: false },
)
export type CreateToken = Static<typeof CreateToken>

export const VaultObject = Type.Object(
  {
    object: Type.Literal('vault'),
    status: OneOf(vaultStatuses, {
      description:
        '`test_cards`: the test environment takes the published test cards. In production numbers are refused while it is `disabled`.',
    }),
    allowed_by_operator: Type.Boolean({ description: 'Whether whoever runs this installation allows it.' }),
    confirmed_at: mostlyNull(Time),
    confirmation: Type.String({
      description: 'What an ADMIN sends to confirm it.',
      examples: [confirmation],
    }),
  },
  {
    $id: 'Vault',
    description: 'Whether the workspace takes card numbers, and what is missing if it does not.',
  },
)

export const ConfirmVault = Type.Object(
  {
    confirmation: Type.String({
      maxLength: 500,
      description: 'The sentence that `GET /vault` shows, word for word.',
      examples: [confirmation],
    }),
  },
  { additionalProperties: false },
)
export type ConfirmVault = Static<typeof ConfirmVault>

export function present(token: CardToken): Static<typeof TokenObject> {
  const { bin: _, ...card } = token.card
  return {
    id: token.id,
    object: 'token',
    type: token.type,
    card,
    used: token.usedAt !== null,
    expires_at: token.expiresAt.toISOString(),
    created_at: token.createdAt.toISOString(),
  }
}

export function presentVault(vault: Vault): Static<typeof VaultObject> {
  return {
    object: 'vault',
    status: vault.status,
    allowed_by_operator: vault.isAllowedByOperator,
    confirmed_at: vault.confirmedAt?.toISOString() ?? null,
    confirmation,
  }
}

import { type Static, Type } from 'typebox'
import { presentDebit } from '../../../kernel/debit-details.ts'
import {
  CreatedAt,
  debitDetails,
  IdOf,
  nullable,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Time,
} from '../../../kernel/shapes.ts'
import {
  accountTypes,
  type DebitType,
  isRedirect,
  otherMethodTypes,
  type RedirectType,
} from '../../../providers/contract.ts'
import { entryComponents } from './card-entry.ts'
import { brands, type CardToken, fundings, tokenTypes } from './card-token.ts'
import { confirmation, type Vault, vaultStatuses } from './vault.ts'

export type { CardEntry, OtherMethod, PaymentEntry } from './card-entry.ts'

const brand = OneOf(brands, { description: 'Card brand, e.g. `visa`.', examples: ['visa'] })
const last4 = Type.String({
  pattern: '^[0-9]{4}$',
  description: 'Last four digits of the card number.',
  examples: ['4242'],
  faultDetail: 'must be four digits',
})
const expMonth = Type.Integer({
  minimum: 1,
  maximum: 12,
  description: 'Expiry month, 1 to 12.',
  examples: [12],
})
const expYear = Type.Integer({
  minimum: 2000,
  maximum: 2099,
  description: 'Expiry year, four digits.',
  examples: [2030],
})
const funding = nullable(OneOf(fundings, { description: 'Funding type. Null if unknown.' }))
const country = nullable(
  Type.String({
    pattern: '^[A-Z]{2}$',
    description: 'Country of the issuing bank, as a two-letter ISO 3166-1 code. Null if unknown.',
    examples: ['US'],
    faultDetail: 'must be two uppercase letters',
  }),
)
const bin = Type.String({
  pattern: '^[0-9]{6}$',
  description: 'First six digits of the card number (BIN), for routing rules that use them.',
  examples: ['424242'],
  faultDetail: 'must be six digits',
})
const issuer = Type.Optional(nullable(Type.String({ description: 'Issuing bank. Null if unknown.' })))

const DisplayCard = Type.Object(
  {
    brand,
    last4: Type.String({
      description: 'Last four digits of the card number. Empty if unknown.',
      examples: ['4242'],
    }),
    exp_month: Type.Integer({ description: 'Expiry month, 1 to 12. 0 if unknown.', examples: [12] }),
    exp_year: Type.Integer({ description: 'Expiry year, four digits. 0 if unknown.', examples: [2030] }),
    funding,
    country,
    issuer,
  },
  { description: 'Card details that can be displayed.' },
)

export const TokenObject = Type.Object(
  {
    id: IdOf('token'),
    object: Type.Literal('token'),
    type: OneOf(tokenTypes, {
      description:
        'Where the card data is stored: `card` at Switchyard, `provider_token` at a provider, `vault_token` in the card vault of the workspace. `sepa_debit`, `ach_debit` and `bacs_debit`: a bank account instead of a card. `ideal`, `bancontact` and `paypal`: the payer approves the payment at the provider.',
    }),
    card: nullableWithExample(DisplayCard),
    ...debitDetails,
    used: Type.Boolean({
      description:
        'Whether the token has been used. A token can be used once, even if the payment is declined.',
    }),
    expires_at: { ...Time, description: 'Expiry time.' },
    created_at: CreatedAt,
  },
  {
    $id: 'Token',
    description:
      'A tokenized card or bank account, or another method of payment, for one payment or one payment method. It expires after 15 minutes.',
  },
)

/** No member is logged: an invalid body may contain a card number in any member. */
export const CardInput = Type.Object(
  {
    number: Type.String({
      pattern: '^[0-9](?:[ -]?[0-9]){11,18}$',
      description: 'Card number. Spaces and dashes between digits are allowed.',
      examples: ['4242 4242 4242 4242'],
      faultDetail: 'must be 12 to 19 digits; spaces and dashes are allowed between them',
    }),
    exp_month: expMonth,
    exp_year: expYear,
    cvc: Type.Optional(
      Type.String({
        pattern: '^[0-9]{3,4}$',
        description: 'Security code (CVC). Deleted when the payment ends, at the latest after 15 minutes.',
        examples: ['123'],
        faultDetail: 'must be 3 or 4 digits',
      }),
    ),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Cardholder name. Stored with the card number and never returned.',
        examples: ['Ada Lovelace'],
      }),
    ),
  },
  {
    additionalProperties: false,
    loggable: false,
    description: 'Card details as the payer entered them. For the type `card`.',
  },
)

export const ProviderToken = Type.Object(
  {
    provider_account_id: IdOf('provider_account', 'Provider account that issued the token.'),
    token: Type.String({
      minLength: 1,
      maxLength: 8_000,
      description:
        "Token returned by the provider's card fields. It can be used only with this provider account. At Adyen: the encrypted members of `paymentMethod` as a JSON text.",
      examples: ['tok_1PqX'],
    }),
    card: Type.Optional(
      Type.Object(
        {
          brand: Type.Optional(brand),
          last4: Type.Optional(last4),
          exp_month: Type.Optional(expMonth),
          exp_year: Type.Optional(expYear),
          funding: Type.Optional(funding),
          country: Type.Optional(country),
          bin: Type.Optional(nullable(bin)),
        },
        {
          additionalProperties: false,
          loggable: false,
          description:
            'Card details reported by the fields of the provider. Omit what they do not report: Mollie reports nothing, Adyen no expiry date.',
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    description:
      'Token of a provider, so that Switchyard never receives the card number. For the type `provider_token`.',
  },
)

export const VaultToken = Type.Object(
  {
    token: Type.String({
      pattern: '^[A-Za-z0-9_-]{8,200}$',
      description:
        'Token of the card at the vault: the id of a token at Basis Theory, the alias of the number at VGS.',
      examples: ['d2cbc1b4-5c3a-45a3-9ee2-392a1c475ab4'],
      faultDetail: 'must be 8 to 200 letters, digits, dashes and underscores',
    }),
    cvc_token: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9_-]{3,200}$',
        description: 'Alias of the security code at VGS. At Basis Theory it is part of the token.',
        faultDetail: 'must be letters, digits, dashes and underscores',
      }),
    ),
    card: Type.Optional(
      Type.Object(
        { brand, last4, exp_month: expMonth, exp_year: expYear, bin: Type.Optional(nullable(bin)) },
        {
          additionalProperties: false,
          loggable: false,
          description:
            'Card details as reported by the fields of VGS. Leave this out for Basis Theory, which reports them to Switchyard.',
        },
      ),
    ),
  },
  {
    additionalProperties: false,
    loggable: false,
    description:
      'Token of the card vault of the workspace, so that Switchyard never receives the card number. For the type `vault_token`.',
  },
)

/** The members of every bank account. */
const debitMembers = {
  account_holder_name: Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Account holder.',
    examples: ['Ada Lovelace'],
  }),
  email: Type.String({
    minLength: 3,
    maxLength: 320,
    pattern: '^[^@\\s]+@[^@\\s]+$',
    description:
      'E-mail address for the notices that the scheme requires, such as the one before each debit.',
    examples: ['ada@example.com'],
    faultDetail: 'must be an e-mail address',
  }),
  mandate: Type.Object(
    {
      accepted_at: Type.Optional({
        ...Time,
        description: 'Time at which the payer accepted the mandate. Default: now.',
      }),
      text_version: Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'Version of the text that the payer accepted.',
        examples: ['2026-11'],
      }),
    },
    { additionalProperties: false, description: 'How the payer accepted the mandate.' },
  ),
}
const debitOptions = (type: DebitType) => ({
  additionalProperties: false,
  loggable: false,
  description: `Bank account as the payer entered it, and the acceptance of the mandate. For \`${type}\`.`,
})

const SepaDebitInput = Type.Object(
  {
    iban: Type.String({
      pattern: '^[A-Za-z]{2}[0-9]{2}[A-Za-z0-9 ]{11,40}$',
      description: 'IBAN of the account. Spaces are allowed.',
      examples: ['DE89 3704 0044 0532 0130 00'],
      faultDetail: 'must be an IBAN, such as DE89 3704 0044 0532 0130 00',
    }),
    ...debitMembers,
  },
  debitOptions('sepa_debit'),
)

const AchDebitInput = Type.Object(
  {
    routing_number: Type.String({
      pattern: '^[0-9]{9}$',
      description: 'ABA routing number of the bank.',
      examples: ['110000000'],
      faultDetail: 'must be nine digits',
    }),
    account_number: Type.String({
      pattern: '^[0-9]{5,17}$',
      description: 'Account number.',
      examples: ['000123456789'],
      faultDetail: 'must be 5 to 17 digits',
    }),
    account_type: Type.Optional(
      OneOf(accountTypes, { description: 'Type of the account. Default: `checking`.' }),
    ),
    ...debitMembers,
  },
  debitOptions('ach_debit'),
)

const BacsDebitInput = Type.Object(
  {
    sort_code: Type.String({
      pattern: '^[0-9]{2}[ -]?[0-9]{2}[ -]?[0-9]{2}$',
      description: 'Sort code of the bank. Spaces and dashes are allowed.',
      examples: ['10-88-00'],
      faultDetail: 'must be six digits, such as 10-88-00',
    }),
    account_number: Type.String({
      pattern: '^[0-9]{8}$',
      description: 'Account number. Pad a shorter number with leading zeros.',
      examples: ['00012345'],
      faultDetail: 'must be eight digits: add leading zeros to a shorter number',
    }),
    ...debitMembers,
  },
  debitOptions('bacs_debit'),
)
export type DebitInput = Static<typeof SepaDebitInput | typeof AchDebitInput | typeof BacsDebitInput>

/** The inputs by type of debit, in requests of servers and of payment pages. */
export const debitInputs = {
  sepa_debit: Type.Optional(SepaDebitInput),
  ach_debit: Type.Optional(AchDebitInput),
  bacs_debit: Type.Optional(BacsDebitInput),
}

export const RedirectInput = (type: RedirectType) =>
  Type.Optional(
    Type.Object(
      {
        account_holder_name: Type.Optional(
          Type.String({
            minLength: 1,
            maxLength: 100,
            description:
              type === 'bancontact' ? 'Name of the payer. Some providers require it.' : 'Name of the payer.',
            examples: ['Ada Lovelace'],
          }),
        ),
      },
      {
        additionalProperties: false,
        loggable: false,
        description: `Details of the payer. Only for the type \`${type}\`, and not required.`,
      },
    ),
  )

export const CreateToken = Type.Object(
  {
    type: OneOf(tokenTypes, {
      description:
        'The member that contains the details, such as `card`. The members `ideal`, `bancontact` and `paypal` can be omitted.',
    }),
    card: Type.Optional(CardInput),
    provider_token: Type.Optional(ProviderToken),
    vault_token: Type.Optional(VaultToken),
    ...debitInputs,
    ideal: RedirectInput('ideal'),
    bancontact: RedirectInput('bancontact'),
    paypal: RedirectInput('paypal'),
  },
  { additionalProperties: false },
)
export type CreateToken = Static<typeof CreateToken>

/** For the hosted page. */
export const CardEntryObject = Type.Object(
  {
    component: OneOf(entryComponents, {
      description: '`card_form`: the form of the page. The others: fields of that provider or vault.',
    }),
    provider: nullable(Type.String({ description: 'Provider or vault. Null for `card_form`.' })),
    provider_account_id: nullable(IdOf('provider_account', 'Provider account that the card is for.')),
    config: Type.Unsafe<Record<string, string>>({
      type: 'object',
      additionalProperties: { type: 'string' },
      description: 'Public settings of the component, such as the publishable key.',
    }),
  },
  {
    description:
      'How the payer enters a card. Null if the session is not open, or this seller cannot take cards here.',
  },
)

export const OtherMethods = Type.Array(OneOf(otherMethodTypes), {
  maxItems: 20,
  description: 'Methods other than cards with which the payer can pay. Empty if the session is not open.',
})

export const VaultObject = Type.Object(
  {
    object: Type.Literal('vault'),
    status: OneOf(vaultStatuses, {
      description:
        '`test_cards`: the test environment accepts the published test cards. `disabled`: production rejects card numbers.',
    }),
    allowed_by_operator: Type.Boolean({
      description: 'Whether the operator of this installation allows card numbers.',
    }),
    confirmed_at: nullableWithNullExample({
      ...Time,
      description: 'Time an ADMIN confirmed the statement. Null if it is not confirmed.',
    }),
    confirmation: Type.String({
      description: 'Statement that an ADMIN must send to confirm.',
      examples: [confirmation],
    }),
  },
  {
    $id: 'Vault',
    description: 'Whether the workspace accepts card numbers and, if not, what is missing.',
  },
)

export const ConfirmVault = Type.Object(
  {
    confirmation: Type.String({
      maxLength: 500,
      description: 'The statement returned by `GET /vault`, word for word.',
      examples: [confirmation],
    }),
  },
  { additionalProperties: false },
)
export type ConfirmVault = Static<typeof ConfirmVault>

export function present(token: CardToken): Static<typeof TokenObject> {
  const { bin: _, ...details } = token.card
  const card = details as Static<typeof DisplayCard>
  return {
    id: token.id,
    object: 'token',
    type: token.type,
    card: token.debit === null && !isRedirect(token.type) ? card : null,
    ...presentDebit(token.type, token.debit),
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

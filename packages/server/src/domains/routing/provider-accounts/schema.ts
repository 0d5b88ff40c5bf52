import { type Static, type TSchema, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  Metadata,
  MetadataChange,
  mostlyNull,
  nullable,
  nullableWithExample,
  OneOf,
  Overlap,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { operationKinds } from '../../../providers/contract.ts'
import { presentCapabilities } from './capabilities.ts'
import { statuses } from './machine.ts'
import { type AccountDetails, cardDataKinds, type RevealedAccount } from './provider-account.ts'
import { HealthMembers, presentHealth } from './schema/health.ts'
import { providerNames, webhookModes } from './settings.ts'

const provider = OneOf(providerNames, {
  description:
    '`custom`: your own provider, which implements the provider protocol. `simulator`: simulates the test cards without moving money, in the test environment only.',
  examples: ['custom'],
})
const displayName = Type.String({
  minLength: 1,
  maxLength: 100,
  description: 'Display name.',
  examples: ['Our acquirer'],
})
const positionText = 'Order in which the accounts are tried if no route is used, lowest first.'
const positionWith = (description: string) =>
  Type.Integer({ minimum: 0, maximum: 1_000_000, description, examples: [1] })
const position = positionWith(positionText)
const cardData = OneOf(cardDataKinds, {
  description: '`pan`: accepts card numbers. `token`: accepts only tokens that the provider issued.',
})

const milliseconds = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }))
const behaviourFlag = (description: string) => Type.Optional(Type.Boolean({ description }))

const Config = Type.Object(
  {
    base_url: Type.Optional(
      Type.String({
        maxLength: 1_024,
        pattern: '^https?://[^\\u0000-\\u0020?#]+$',
        faultDetail: 'must be a URL without a query, such as https://psp.example.com/switchyard',
        description: "Base URL of the provider's implementation of the protocol. For `custom`.",
      }),
    ),
    auth_rate: Type.Optional(
      Type.Number({
        minimum: 0,
        maximum: 1,
        description: 'Fraction of valid cards that are approved, from 0 to 1.',
      }),
    ),
    latency_ms: milliseconds(60_000, 'Response time in milliseconds.'),
    outage: Type.Optional(
      Type.Object(
        {
          from_at: { ...Time, description: 'Start of the outage.' },
          until_at: { ...Time, description: 'End of the outage.' },
        },
        { additionalProperties: false, description: 'Period during which the simulator is unavailable.' },
      ),
    ),
    replay: behaviourFlag('Whether a repeated request returns the original response.'),
    lookup: behaviourFlag('Whether the outcome of an operation can be looked up.'),
    lookup_lag_ms: milliseconds(3_600_000, 'Delay in milliseconds before a lookup finds a new operation.'),
    close: behaviourFlag('Whether the provider can guarantee that an operation will never be processed.'),
    webhooks: Type.Optional(
      OneOf(webhookModes, {
        description: 'How webhooks are sent: normally, not at all, twice or out of order.',
      }),
    ),
  },
  {
    additionalProperties: false,
    description: '`base_url` for `custom`. The other fields control the simulator.',
    examples: [{ base_url: 'https://psp.example.com/switchyard' }],
  },
)

const kinds = Type.Array(OneOf(operationKinds), { maxItems: 5, description: 'Supported operations.' })
const codeList = (pattern: string, faultDetail: string, description: string) =>
  Type.Array(Type.String({ pattern, faultDetail, loggable: true }), {
    maxItems: 300,
    description: `${description} Null: all.`,
  })
const brands = codeList(
  '^[a-z0-9_]{1,40}$',
  'must be a lowercase card brand, such as visa',
  'Supported card brands.',
)
const currencies = codeList(
  '^[a-z]{3}$',
  'must be a lowercase currency code, such as eur',
  'Supported currencies in lowercase.',
)
const countries = codeList(
  '^[A-Z]{2}$',
  'must be a two-letter country code, such as GB',
  'Supported countries of card issuers.',
)
const amountLimit = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })
const amount = Type.Object(
  { min: amountLimit('Minimum amount in minor units.'), max: amountLimit('Maximum amount in minor units.') },
  { additionalProperties: false, description: 'Minimum and maximum amount. Null: no limits.' },
)
const capabilityFlag = (description: string) => Type.Boolean({ description, examples: [true] })
const manualCapture = capabilityFlag('Whether authorization and capture can be separated.')
const multiCapture = capabilityFlag('Whether an authorization can be captured in several parts.')
const partialRefund = capabilityFlag('Whether partial refunds are supported.')
const threeDSecure = capabilityFlag('Whether 3-D Secure is supported.')
const offSession = capabilityFlag('Whether off-session charges are supported.')

const CapabilitiesObject = Type.Object(
  {
    kinds,
    brands: nullable(brands),
    currencies: nullable(currencies),
    countries: nullable(countries),
    amount: nullable(amount),
    manual_capture: manualCapture,
    multi_capture: multiCapture,
    partial_refund: partialRefund,
    three_d_secure: threeDSecure,
    off_session: offSession,
  },
  {
    description: 'Effective capabilities: what the provider supports, minus your restrictions.',
    examples: [
      {
        kinds: [...operationKinds],
        brands: null,
        currencies: ['eur', 'gbp'],
        countries: null,
        amount: null,
        manual_capture: true,
        multi_capture: false,
        partial_refund: true,
        three_d_secure: true,
        off_session: true,
      },
    ],
  },
)

const optionalRestriction = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema))
const Narrowing = optionalRestriction(
  Type.Object(
    {
      kinds: optionalRestriction(kinds),
      brands: optionalRestriction(brands),
      currencies: optionalRestriction(currencies),
      countries: optionalRestriction(countries),
      amount: optionalRestriction(amount),
      manual_capture: optionalRestriction(manualCapture),
      multi_capture: optionalRestriction(multiCapture),
      partial_refund: optionalRestriction(partialRefund),
      three_d_secure: optionalRestriction(threeDSecure),
      off_session: optionalRestriction(offSession),
    },
    {
      additionalProperties: false,
      description: "Restrictions on the provider's capabilities. Null removes a restriction.",
    },
  ),
)

const reason = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Reason, shown in the dashboard.',
  examples: ['Maintenance at the acquirer'],
})

const members = {
  id: IdOf('provider_account'),
  object: Type.Literal('provider_account'),
  provider,
  status: OneOf(statuses, {
    description:
      '`disabled`: receives no new payments, but captures and refunds continue. `archived`: permanently retired.',
  }),
  display_name: displayName,
  position,
  config: Config,
  credentials: nullableWithExample(
    Type.Object(
      {
        set: Type.Literal(true, { description: 'Always true.' }),
        rotated_at: mostlyNull({
          ...Time,
          description: 'Time the secret was last rotated. Null if it was never rotated.',
        }),
      },
      {
        description:
          'Whether a secret exists and when it was last rotated. The secret itself is not included.',
      },
    ),
  ),
  card_data: cardData,
  hold: nullable(
    Type.Object(
      { reason, until_at: { ...Time, description: 'End of the hold.' } },
      {
        description:
          'Set while the account is on hold: it receives no new payments, but captures and refunds continue. Null otherwise.',
      },
    ),
  ),
  health: HealthMembers,
  checked_at: mostlyNull({ ...Time, description: 'Time of the last check. Null if there was none.' }),
  check: nullable(
    Type.Object(
      {
        passed: Type.Boolean({ description: 'Whether all checks passed.', examples: [true] }),
        faults: Type.Array(
          Type.Object({
            duty: Type.String({ description: 'Requirement of the protocol.' }),
            detail: Type.String({ description: 'Actual behaviour of the provider.' }),
          }),
          { description: 'Failed checks.' },
        ),
      },
      {
        description:
          'Result of the last check. Null before the first check and after a change of `base_url`.',
      },
    ),
  ),
  webhook_url: Type.String({
    description: 'URL that the provider sends webhooks to.',
    examples: ['https://api.example.com/provider-webhooks/provider_account_01M7CYVGQTEAKSNTBFR026MPQ1'],
  }),
  capabilities: CapabilitiesObject,
  metadata: Metadata,
  created_at: CreatedAt,
  updated_at: UpdatedAt,
}

export const ProviderAccountObject = Type.Object(members, {
  $id: 'ProviderAccount',
  description: 'Your account with a payment provider, and its capabilities.',
})

export const RevealedAccountObject = Type.Object(
  {
    ...members,
    secret: nullable(
      Type.String({
        description:
          'Signing secret. The whole string, including `psec_`, is the key. It is returned only once: null if the request is repeated, and for the simulator.',
      }),
    ),
  },
  {
    $id: 'RevealedProviderAccount',
    description: 'A provider account with its secret. No other response contains the secret.',
  },
)

export const ProviderAccountPath = Type.Object({ provider_account_id: IdOf('provider_account') })

export const CreateProviderAccount = Type.Object(
  {
    provider,
    display_name: displayName,
    config: Type.Optional(Config),
    card_data: Type.Optional(OneOf(cardDataKinds, { ...cardData, default: 'pan' })),
    capabilities: Narrowing,
    position: Type.Optional(positionWith(`${positionText} Default: after the last account.`)),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CreateProviderAccount = Static<typeof CreateProviderAccount>

export const UpdateProviderAccount = Type.Object(
  {
    display_name: Type.Optional(displayName),
    config: Type.Optional(Config),
    capabilities: Narrowing,
    position: Type.Optional(position),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type UpdateProviderAccount = Static<typeof UpdateProviderAccount>

export const HoldProviderAccount = Type.Object(
  {
    reason,
    until_at: Type.String({
      ...Time,
      description:
        'Time the hold ends automatically. Required, so that a forgotten hold does not become an outage.',
    }),
  },
  { additionalProperties: false },
)
export type HoldProviderAccount = Static<typeof HoldProviderAccount>

export const RotateSecret = Overlap(
  86_400,
  'How long the previous secret stays valid, in seconds. 0 invalidates it immediately.',
)
export type RotateSecret = Static<typeof RotateSecret>

export function present(account: AccountDetails): Static<typeof ProviderAccountObject> {
  const { hold, check, secretRotatedAt } = account
  return {
    id: account.id,
    object: 'provider_account',
    provider: account.provider,
    status: account.status,
    display_name: account.displayName,
    position: account.position,
    config: account.settings,
    credentials: account.hasCredentials
      ? { set: true, rotated_at: secretRotatedAt?.toISOString() ?? null }
      : null,
    card_data: account.cardData,
    hold: hold === null ? null : { reason: hold.reason, until_at: hold.untilAt.toISOString() },
    health: presentHealth(account.health),
    checked_at: check?.at.toISOString() ?? null,
    check: check === null ? null : { passed: check.faults.length === 0, faults: [...check.faults] },
    webhook_url: account.webhookUrl,
    capabilities: presentCapabilities(account.capabilities),
    metadata: account.metadata,
    created_at: account.createdAt.toISOString(),
    updated_at: account.updatedAt.toISOString(),
  }
}

export function presentRevealed(account: RevealedAccount): Static<typeof RevealedAccountObject> {
  return { ...present(account), secret: account.secret }
}

import { type Static, Type } from 'typebox'
import {
  CreatedAt,
  IdOf,
  Metadata,
  MetadataChange,
  nullable,
  nullableWithExample,
  nullableWithNullExample,
  OneOf,
  Overlap,
  Time,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { providerNames } from '../../../providers/provider-names.ts'
import { statuses } from './machine.ts'
import { type AccountDetails, cardDataKinds, type RevealedAccount } from './provider-account.ts'
import { CapabilitiesObject, Narrowing, presentCapabilities } from './schema/capabilities.ts'
import { CostsInput, CostsObject } from './schema/costs.ts'
import { HealthMembers, presentHealth } from './schema/health.ts'
import { webhookModes } from './settings.ts'

const provider = OneOf(providerNames, {
  description:
    '`custom`: your own provider, which implements the provider protocol. `simulator`: simulates the test cards without moving money, in the test environment only. The others are connectors: `GET /providers` lists the credentials and settings of each.',
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
const cardDataText = '`pan`: accepts card numbers. `token`: accepts only tokens that the provider issued.'
const cardData = OneOf(cardDataKinds, { description: cardDataText })

const milliseconds = (maximum: number, description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum, description }))
const behaviourFlag = (description: string) => Type.Optional(Type.Boolean({ description }))

const baseUrl = Type.String({
  maxLength: 1_024,
  pattern: '^https?://[^\\u0000-\\u0020?#]+$',
  faultDetail: 'must be a URL without a query, such as https://psp.example.com/switchyard',
  description:
    "Base URL of the provider's implementation of the protocol, for `custom`. For a connector, in the test environment only: an address to use instead of the provider's, such as that of an emulator.",
})

/**
 * Names of credentials and settings. Secrets do not match the pattern, so a secret sent in place of a name is
 * rejected.
 */
const setupName = {
  pattern: '^[a-z][a-z_]{0,39}$',
  faultDetail: 'has a name that is not allowed: use lowercase letters and underscores',
}
const settingsText =
  'Settings of a connector, under the names that the provider uses, such as `merchant_account` for Adyen.'
const settingValue = {
  minLength: 1,
  maxLength: 500,
  pattern: '^[^\\u0000-\\u001f\\u007f]+$',
  faultDetail: 'must not contain control characters',
}

const emulated = Type.Optional(
  Type.Boolean({
    description:
      'Whether the simulator replaces the provider and answers in its format. For connectors in the test environment. Its credentials and required settings are generated. It cannot be changed.',
  }),
)

const behaviour = {
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
}

const configAbout = {
  description:
    '`base_url` for `custom`; `settings`, `base_url` and `emulated` for connectors. The other fields control the simulator and emulated providers.',
  examples: [{ base_url: 'https://psp.example.com/switchyard' }],
}

const Config = Type.Object(
  {
    base_url: Type.Optional(baseUrl),
    settings: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        type: 'object',
        additionalProperties: { type: 'string' },
        description: settingsText,
      }),
    ),
    emulated,
    ...behaviour,
  },
  configAbout,
)

const ConfigInput = Type.Object(
  {
    base_url: Type.Optional(nullable(baseUrl)),
    settings: Type.Optional(
      Type.Unsafe<Record<string, string | null>>({
        type: 'object',
        maxProperties: 20,
        propertyNames: setupName,
        additionalProperties: { ...settingValue, type: ['string', 'null'] },
        description: `${settingsText} \`null\` removes a setting.`,
      }),
    ),
    emulated,
    ...behaviour,
  },
  { ...configAbout, additionalProperties: false },
)

/** Short values would also be redacted where they occur by chance, such as in references of the provider. */
const CredentialsInput = Type.Unsafe<Record<string, string>>({
  type: 'object',
  writeOnly: true,
  loggable: false,
  minProperties: 1,
  maxProperties: 20,
  propertyNames: setupName,
  additionalProperties: {
    type: 'string',
    minLength: 8,
    maxLength: 2_000,
    pattern: '^[^\\u0000-\\u0020\\u007f](?:[^\\u0000-\\u001f\\u007f]*[^\\u0000-\\u0020\\u007f])?$',
    faultDetail: 'must not contain control characters, or begin or end with a space',
  },
  description:
    'Credentials of a connector, under the names that the provider uses, such as `secret_key` for Stripe. `GET /providers` lists them. They are encrypted, and never returned or logged.',
  examples: [{ secret_key: 'sk_test_1aB2cD3eF4gH5iJ6' }],
})

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
        rotated_at: nullableWithNullExample({
          ...Time,
          description: 'Time the secret was last rotated. Null if it was never rotated.',
        }),
        names: Type.Array(Type.String({ loggable: true }), {
          description:
            'Names of the credentials of a connector that are set. Empty for `custom` and `simulator`.',
          examples: [[]],
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
  checked_at: nullableWithNullExample({
    ...Time,
    description: 'Time of the last check. Null if there was none.',
  }),
  check: nullable(
    Type.Object(
      {
        passed: Type.Boolean({ description: 'Whether all checks passed.', examples: [true] }),
        faults: Type.Array(
          Type.Object({
            duty: Type.String({
              description:
                'Requirement that is not met: a rule of the protocol, or `credentials` for a connector.',
            }),
            detail: Type.String({ description: 'Actual behaviour of the provider.' }),
          }),
          { description: 'Failed checks.' },
        ),
      },
      {
        description:
          'Result of the last check. Null before the first check, after a change of `base_url`, and after a change of settings or credentials of a connector.',
      },
    ),
  ),
  webhook_url: Type.String({
    description: 'URL that the provider sends webhooks to.',
    examples: ['https://api.example.com/provider-webhooks/provider_account_01M7CYVGQTEAKSNTBFR026MPQ1'],
  }),
  capabilities: CapabilitiesObject,
  costs: CostsObject,
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
          'Signing secret. The whole string, including `psec_`, is the key. It is returned only once: null if the request is repeated, for the simulator, and for connectors.',
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
    config: Type.Optional(ConfigInput),
    credentials: Type.Optional(CredentialsInput),
    card_data: Type.Optional(
      OneOf(cardDataKinds, {
        description: `${cardDataText} Default: \`pan\`, or \`token\` for providers that accept card numbers only after approval, or never.`,
      }),
    ),
    capabilities: Narrowing,
    costs: CostsInput,
    position: Type.Optional(positionWith(`${positionText} Default: after the last account.`)),
    metadata: Type.Optional(MetadataChange),
  },
  { additionalProperties: false },
)
export type CreateProviderAccount = Static<typeof CreateProviderAccount>

export const UpdateProviderAccount = Type.Object(
  {
    display_name: Type.Optional(displayName),
    config: Type.Optional(ConfigInput),
    capabilities: Narrowing,
    costs: CostsInput,
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

export const RotateSecret = Type.Object(
  {
    ...Overlap(
      86_400,
      'How long the previous secret stays valid, in seconds. 0 invalidates it immediately. For a connector, this applies to the credentials that verify webhooks; calls use the new credentials immediately.',
    ).properties,
    credentials: Type.Optional(CredentialsInput),
  },
  { additionalProperties: false },
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
      ? {
          set: true,
          rotated_at: secretRotatedAt?.toISOString() ?? null,
          names: [...account.credentialNames],
        }
      : null,
    card_data: account.cardData,
    hold: hold === null ? null : { reason: hold.reason, until_at: hold.untilAt.toISOString() },
    health: presentHealth(account.health),
    checked_at: check?.at.toISOString() ?? null,
    check: check === null ? null : { passed: check.faults.length === 0, faults: [...check.faults] },
    webhook_url: account.webhookUrl,
    capabilities: presentCapabilities(account.capabilities),
    costs: [...account.costs],
    metadata: account.metadata,
    created_at: account.createdAt.toISOString(),
    updated_at: account.updatedAt.toISOString(),
  }
}

export function presentRevealed(account: RevealedAccount): Static<typeof RevealedAccountObject> {
  return { ...present(account), secret: account.secret }
}

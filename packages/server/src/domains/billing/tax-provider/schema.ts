import { type Static, Type } from 'typebox'
import { nullableWithNullExample, OneOf, Time } from '../../../kernel/shapes.ts'
import { taxProviderNames } from '../../../tax-providers/tax-provider-names.ts'
import type { ConfiguredTaxProvider, TaxBacklog } from './tax-provider.ts'

const provider = OneOf(taxProviderNames, {
  description: 'Service that computes tax and records it for tax returns.',
  examples: ['stripe_tax'],
  loggable: true,
})
const emulated = Type.Boolean({
  description: 'Whether the simulator replaces the provider. Only in the test environment.',
  examples: [false],
})
const values = Type.Record(
  Type.String({ pattern: '^[a-z_]{1,40}$' }),
  Type.String({ minLength: 1, maxLength: 1_000 }),
)

export const TaxProviderObject = Type.Object(
  {
    object: Type.Literal('tax_provider'),
    provider,
    emulated,
    config: { ...values, description: 'Settings of the account, without its secrets.', examples: [{}] },
    secrets: Type.Array(Type.String(), {
      description: 'Names of the secrets that are stored. Their values are never returned.',
      examples: [['secret_key']],
    }),
    waiting_since: nullableWithNullExample({
      ...Time,
      description: 'Time at which the oldest waiting draft began to wait for its tax. Null: no draft waits.',
    }),
    unrecorded_since: nullableWithNullExample({
      ...Time,
      description:
        'Creation time of the oldest document that is not recorded at the provider yet. Null: all are recorded.',
    }),
  },
  { $id: 'TaxProvider', description: 'Your account at a service that computes and records tax.' },
)

export const UpdateTaxProvider = Type.Object(
  {
    provider,
    emulated: Type.Optional(emulated),
    config: Type.Optional({
      ...values,
      description:
        'Settings and secrets by name: `secret_key` for Stripe Tax; `account_id`, `license_key` and `company_code` for AvaTax. Omitted secrets are unchanged.',
      examples: [{ secret_key: 'sk_test_1aB2cD3eF4gH5iJ6' }],
    }),
  },
  { additionalProperties: false },
)
export type UpdateTaxProvider = Static<typeof UpdateTaxProvider>

export const TaxProviderCheck = Type.Object(
  {
    object: Type.Literal('tax_provider_check'),
    ok: Type.Boolean({ description: 'Whether the provider accepts the credentials.', examples: [true] }),
    detail: nullableWithNullExample(
      Type.String({
        description: 'Description of the error. Null if there is none.',
        examples: ['Stripe Tax rejected the secret key.'],
      }),
    ),
  },
  { $id: 'TaxProviderCheck', description: 'Result of the check.' },
)

export function present({
  configured,
  backlog,
}: {
  readonly configured: ConfiguredTaxProvider
  readonly backlog: TaxBacklog
}): Static<typeof TaxProviderObject> {
  return {
    object: 'tax_provider',
    provider: configured.provider,
    emulated: configured.emulated,
    config: { ...configured.config },
    secrets: [...configured.secrets],
    waiting_since: backlog.waitingSince?.toISOString() ?? null,
    unrecorded_since: backlog.unrecordedSince?.toISOString() ?? null,
  }
}

export function presentCheck({ fault }: { readonly fault: string | null }): Static<typeof TaxProviderCheck> {
  return { object: 'tax_provider_check', ok: fault === null, detail: fault }
}

import { type Static, Type } from 'typebox'
import type { Mode } from '../../../kernel/id.ts'
import { nullable, OneOf } from '../../../kernel/shapes.ts'
import type { Provider, SetupField } from '../../../providers/contract.ts'
import { providerNames } from '../../../providers/provider-names.ts'
import { CapabilitiesObject, presentCapabilities } from '../provider-accounts/schema/capabilities.ts'
import { setupOf } from './listed-provider.ts'

const fieldMembers = {
  name: Type.String({
    description: 'Name of the member in the request.',
    examples: ['secret_key'],
    loggable: true,
  }),
  label: Type.String({ description: 'Label for forms.', examples: ['Secret key'] }),
  help: Type.String({ description: 'Where to find the value at the provider.' }),
  required: Type.Boolean({ description: 'Whether it is required in this environment.', examples: [true] }),
}

const ProviderObject = Type.Object(
  {
    id: OneOf(providerNames, {
      description: 'Value of `provider` in provider accounts.',
      examples: ['stripe'],
    }),
    object: Type.Literal('provider'),
    name: Type.String({ description: 'Name of the provider.', examples: ['Stripe'] }),
    card_data: OneOf(['token', 'pan_or_token'], {
      description: '`token`: accepts only cards that its own form fields have collected.',
      examples: ['token'],
    }),
    card_numbers_need_approval: Type.Boolean({
      description:
        'Whether the provider must enable card numbers for an account. If so, an account has `card_data: token` unless you choose `pan`.',
      examples: [true],
    }),
    credentials: Type.Array(
      Type.Object({
        ...fieldMembers,
        use: OneOf(['call', 'webhook'], {
          description: '`call`: authenticates calls to the provider. `webhook`: verifies its webhooks.',
        }),
      }),
      { description: 'Credentials of a provider account. Empty for `custom` and `simulator`.' },
    ),
    settings: Type.Array(Type.Object(fieldMembers), {
      description: 'Members of `config.settings`. Empty for `custom` and `simulator`.',
    }),
    capabilities: { ...CapabilitiesObject, description: 'What the provider supports.' },
    webhook: Type.Object(
      {
        signature: OneOf(['path_and_time', 'time', 'body', 'none'], {
          description:
            'What the signature covers in addition to the body. `none`: the webhooks are not signed, so they only trigger lookups, at most one per operation every ten seconds.',
          examples: ['time'],
        }),
        events: Type.Array(Type.String({ loggable: true }), {
          description: 'Event types to select when you create the webhook at the provider.',
          examples: [['payment_intent.succeeded', 'refund.updated']],
        }),
        help: nullable(
          Type.String({
            description: 'Where to create the webhook, with the `webhook_url` of the provider account.',
          }),
        ),
      },
      { description: 'Webhooks of the provider.' },
    ),
    resolution: Type.Object(
      {
        replay_hours: Type.Number({
          minimum: 0,
          description: 'How long a repeated request returns the first response. 0: never.',
          examples: [23],
        }),
        lookup: OneOf(['reference', 'provider_id', 'none'], {
          description:
            'How a payment can be looked up. `provider_id`: only if the provider has returned an ID for it.',
          examples: ['reference'],
        }),
        close: Type.Boolean({
          description: 'Whether the provider can guarantee that an operation will never be processed.',
          examples: [true],
        }),
        webhook: Type.Boolean({
          description: 'Whether every result is reported by webhook.',
          examples: [false],
        }),
      },
      { description: 'How an unknown outcome is resolved.' },
    ),
    proof: nullable(
      OneOf(['offline'], {
        description:
          'How the connector was tested. `offline`: with the documentation and the SDK of the provider, not against its sandbox. Null for `custom` and `simulator`.',
        examples: ['offline'],
      }),
    ),
  },
  {
    $id: 'Provider',
    description: 'A payment provider, and the credentials and settings that its accounts require.',
  },
)

export const Providers = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(ProviderObject, { description: 'All providers.' }),
  has_more: Type.Literal(false),
  url: Type.Literal('/providers'),
})

export function presentProviders({
  mode,
  providers,
}: {
  readonly mode: Mode
  readonly providers: readonly Provider[]
}): Static<typeof Providers> {
  const data = providers.map((provider) => present(mode, provider))
  return { object: 'list', data, has_more: false, url: '/providers' }
}

function present(mode: Mode, provider: Provider): Static<typeof ProviderObject> {
  const { resolve, webhooks } = provider
  const setup = setupOf(provider)
  const field = ({ name, label, help, required }: SetupField) => ({
    name,
    label,
    help,
    required: required === true || required === mode,
  })
  return {
    id: setup.id,
    object: 'provider',
    name: setup.name,
    card_data: setup.cardData,
    card_numbers_need_approval: setup.cardNumbersNeedApproval === true,
    credentials: setup.credentials.map((credential) => ({ ...field(credential), use: credential.use })),
    // Settings that only the live environment uses are not listed in the test environment.
    settings: setup.settings.filter(({ required }) => required !== 'live' || mode === 'live').map(field),
    capabilities: presentCapabilities(provider.capabilities),
    webhook: {
      signature: webhooks?.signature ?? 'none',
      events: [...setup.webhookEvents],
      help: setup.webhookHelp,
    },
    resolution: {
      replay_hours: resolve.replayHours,
      lookup: resolve.lookup,
      close: resolve.close,
      webhook: resolve.webhook,
    },
    proof: provider.setup === undefined ? null : 'offline',
  }
}

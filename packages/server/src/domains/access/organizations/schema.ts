import { type Static, Type } from 'typebox'
import { CreatedAt, IdOf, nullable, OneOf, UpdatedAt } from '../../../kernel/shapes.ts'
import { vaultNames } from '../../../vaults/vault-names.ts'
import { type CardData, cardDataModes } from './card-data.ts'
import { elementOriginPattern, maxElementOrigins } from './element-origins.ts'
import type { Workspace } from './workspace.ts'

export type { Seller } from './branding.ts'

const name = Type.String({ minLength: 1, maxLength: 100, description: 'Display name.' })
const apiVersion = Type.String({
  description: 'Default API version of the workspace. Events are created in this version.',
  examples: ['2026-11-14'],
  loggable: true,
})

const displayName = nullable(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'Name shown to payers. Null: the name of the workspace.',
    examples: ['Café Zürich'],
  }),
)
const logoUrl = nullable(
  Type.String({
    maxLength: 50_000,
    description:
      'Logo as a `data:` URL of a PNG, JPEG, WebP or GIF of at most 32 KB. Other URLs are not supported. Null if there is none.',
  }),
)
const accentColor = nullable(
  Type.String({
    pattern: '^#[0-9a-f]{6}$',
    faultDetail: 'must be a color such as #0b5fff, in lowercase',
    description:
      'Color of the pay button. The button text is black or white, whichever is readable. Null: the default color.',
    examples: ['#0b5fff'],
  }),
)
const brandingText = 'Branding of payment pages.'

const cardDataMode = OneOf(cardDataModes, {
  description:
    '`own_vault`: Switchyard stores card numbers; in production this also needs the steps of `GET /vault`. `provider_fields`: payers enter the card in fields of the provider. `external_vault`: payers enter the card in fields of a card vault, which forwards it to the provider.',
})
const vaultProvider = OneOf(vaultNames, { description: 'Service that stores the card numbers.' })
const vaultEmulated = Type.Boolean({
  description: 'Whether the simulator replaces the vault. Only in the test environment.',
})
const vaultValues = Type.Record(
  Type.String({ pattern: '^[a-z_]{1,40}$' }),
  Type.String({ minLength: 1, maxLength: 10_000 }),
)
const cardDataText = 'How card data is collected, and the vault of another service, if there is one.'

const allowedOrigins = Type.Array(
  Type.String({
    maxLength: 260,
    pattern: elementOriginPattern,
    faultDetail:
      'must be an origin such as https://shop.example.com, in lowercase and without a path; http is only allowed for localhost',
  }),
  {
    maxItems: maxElementOrigins,
    description:
      'Origins of the pages that may embed the payment element, such as `https://shop.example.com`. Empty: it cannot be embedded.',
    examples: [['https://shop.example.com']],
  },
)
const elementsText = 'Payment element for your own pages.'

export const WorkspaceObject = Type.Object(
  {
    id: IdOf('workspace'),
    object: Type.Literal('workspace'),
    organization_id: IdOf('organization'),
    name,
    mode: OneOf(['live', 'test'], { description: 'A workspace processes either live or test payments.' }),
    api_version: apiVersion,
    branding: Type.Object(
      { display_name: displayName, logo_url: logoUrl, accent_color: accentColor },
      { description: brandingText },
    ),
    card_data: Type.Object(
      {
        mode: cardDataMode,
        vault: nullable(
          Type.Object(
            {
              provider: vaultProvider,
              emulated: vaultEmulated,
              config: { ...vaultValues, description: 'Settings of the vault, without its secrets.' },
              secrets: Type.Array(Type.String(), {
                description: 'Names of the secrets that are stored. Their values are never returned.',
                examples: [['api_key']],
              }),
            },
            { description: 'Vault of another service. Null if there is none.' },
          ),
        ),
      },
      { description: cardDataText },
    ),
    elements: Type.Object({ allowed_origins: allowedOrigins }, { description: elementsText }),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'Workspace',
    description: 'A separate environment for payments, customers and settings, either live or test.',
  },
)

export const UpdateWorkspace = Type.Object(
  {
    name: Type.Optional(name),
    api_version: Type.Optional(apiVersion),
    branding: Type.Optional(
      Type.Object(
        {
          display_name: Type.Optional(displayName),
          logo_url: Type.Optional(logoUrl),
          accent_color: Type.Optional(accentColor),
        },
        {
          additionalProperties: false,
          description: `${brandingText} Omitted fields are unchanged; \`null\` clears a field.`,
        },
      ),
    ),
    card_data: Type.Optional(
      Type.Object(
        {
          mode: Type.Optional(cardDataMode),
          vault: Type.Optional(
            nullable(
              Type.Object(
                {
                  provider: vaultProvider,
                  emulated: Type.Optional(vaultEmulated),
                  config: Type.Optional({
                    ...vaultValues,
                    description:
                      'Settings and secrets by name: `api_key` and `public_api_key` for Basis Theory; `vault_id`, `environment`, `username`, `password`, `ca` and `route_id` for VGS. Omitted secrets are unchanged.',
                  }),
                },
                {
                  additionalProperties: false,
                  description:
                    'Replaces the vault. `null` removes it: cards that are saved there can no longer be charged.',
                },
              ),
            ),
          ),
        },
        { additionalProperties: false, description: `${cardDataText} Omitted members are unchanged.` },
      ),
    ),
    elements: Type.Optional(
      Type.Object(
        { allowed_origins: Type.Optional(allowedOrigins) },
        { additionalProperties: false, description: elementsText },
      ),
    ),
  },
  { additionalProperties: false },
)
export type UpdateWorkspace = Static<typeof UpdateWorkspace>

export function present(workspace: Workspace): Static<typeof WorkspaceObject> {
  return {
    id: workspace.id,
    object: 'workspace',
    organization_id: workspace.organizationId,
    name: workspace.name,
    mode: workspace.mode,
    api_version: workspace.apiVersion,
    branding: { ...workspace.branding },
    card_data: presentCardData(workspace.cardData),
    elements: { allowed_origins: [...workspace.elementOrigins] },
    created_at: workspace.createdAt.toISOString(),
    updated_at: workspace.updatedAt.toISOString(),
  }
}

function presentCardData({ mode, vault }: CardData): Static<typeof WorkspaceObject>['card_data'] {
  if (vault === null) return { mode, vault }
  const { provider, emulated, config, secrets } = vault
  return { mode, vault: { provider, emulated, config: { ...config }, secrets: [...secrets] } }
}

import { type Static, Type } from 'typebox'
import { CreatedAt, IdOf, nullable, OneOf, UpdatedAt } from '../../../kernel/shapes.ts'
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
    created_at: workspace.createdAt.toISOString(),
    updated_at: workspace.updatedAt.toISOString(),
  }
}

import { type Static, Type } from 'typebox'
import { IdOf, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import type { Workspace } from './workspace.ts'

export type { Seller } from './branding.ts'

const name = Type.String({ minLength: 1, maxLength: 100, description: 'A name for people.' })
const apiVersion = Type.String({
  description: 'The version in which the workspace is answered, and in which its events are written.',
  examples: ['2026-11-14'],
  loggable: true,
})

const displayName = nullable(
  Type.String({
    minLength: 1,
    maxLength: 100,
    description: 'What payers call you. Null: the name of the workspace.',
    examples: ['Café Zürich'],
  }),
)
const logoUrl = nullable(
  Type.String({
    maxLength: 50_000,
    description:
      'Your logo as a `data:` address of a PNG, JPEG, WebP or GIF of 32 KB or less. It is never fetched.',
  }),
)
const accentColor = nullable(
  Type.String({
    pattern: '^#[0-9a-f]{6}$',
    faultDetail: 'must be a colour such as #0b5fff, in lower case',
    description: 'The colour of the button. What stands on it is black or white, whichever can be read.',
    examples: ['#0b5fff'],
  }),
)
const brandingText = 'How payment pages show you.'

export const WorkspaceObject = Type.Object(
  {
    id: IdOf('workspace'),
    object: Type.Literal('workspace'),
    organization_id: IdOf('organization'),
    name,
    mode: OneOf(['live', 'test'], { description: 'A workspace serves live or test payments, never both.' }),
    api_version: apiVersion,
    branding: Type.Object(
      { display_name: displayName, logo_url: logoUrl, accent_color: accentColor },
      { description: brandingText },
    ),
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Workspace', description: 'A place of its own for payments, customers and settings, live or test.' },
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
          description: `${brandingText} Members that are not sent stay as they are, null clears.`,
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

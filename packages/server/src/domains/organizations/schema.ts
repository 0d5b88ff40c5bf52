import { type Static, Type } from 'typebox'
import { IdOf, OneOf, Time } from '../../kernel/shapes.ts'
import type { Workspace } from './workspace.ts'

const name = Type.String({ minLength: 1, maxLength: 100, description: 'A name for people.' })
const apiVersion = Type.String({
  description: 'The version in which the workspace is answered, and in which its events are written.',
  examples: ['2026-11-14'],
  loggable: true,
})

export const WorkspaceObject = Type.Object(
  {
    id: IdOf('workspace'),
    object: Type.Literal('workspace'),
    organization_id: IdOf('organization'),
    name,
    mode: OneOf(['live', 'test'], { description: 'A workspace serves live or test payments, never both.' }),
    api_version: apiVersion,
    created_at: Time,
    updated_at: Time,
  },
  { $id: 'Workspace' },
)

export const UpdateWorkspace = Type.Object(
  { name: Type.Optional(name), api_version: Type.Optional(apiVersion) },
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
    created_at: workspace.createdAt.toISOString(),
    updated_at: workspace.updatedAt.toISOString(),
  }
}

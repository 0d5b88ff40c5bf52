/** An organization has workspaces; a workspace is live or test and owns every other object. */
import type { Id, Mode } from '../../kernel/id.ts'
import type { Branding } from './branding.ts'

export type Workspace = {
  readonly id: Id<'workspace'>
  readonly organizationId: Id<'organization'>
  readonly name: string
  readonly mode: Mode
  readonly apiVersion: string
  readonly branding: Branding
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** A workspace of an organization. It is either live or test, and contains all other objects. */
import type { Id, Mode } from '../../../kernel/id.ts'
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

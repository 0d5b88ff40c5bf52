/** A workspace of an organization. It is either live or test, and contains all other objects. */
import type { Id, Mode } from '../../../kernel/id.ts'
import type { Branding } from './branding.ts'
import type { CardData } from './card-data.ts'

export type Workspace = {
  readonly id: Id<'workspace'>
  readonly organizationId: Id<'organization'>
  readonly name: string
  readonly mode: Mode
  readonly apiVersion: string
  readonly branding: Branding
  readonly cardData: CardData
  /** Whether the mode of `cardData` was selected. If not, it is the default. */
  readonly hasChosenCardData: boolean
  /** The origins of the pages that may embed the payment element. */
  readonly elementOrigins: readonly string[]
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
}

/** Somebody at a door of the dashboard, and what they are once they are known. */
import type { Id } from '../../kernel/id.ts'

export type Visitor = {
  /** What their cookie holds; null: there is none. */
  readonly secret: string | null
  readonly address: string
  /** The address as wrong tries are counted by it. */
  readonly network: string
  readonly userAgent: string
  readonly requestId: Id<'request'>
}

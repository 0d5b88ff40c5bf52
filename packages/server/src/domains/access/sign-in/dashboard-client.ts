/** The client of a dashboard request. */
import type { Id } from '../../../kernel/id.ts'

export type DashboardClient = {
  /** The value of the session cookie; null: there is none. */
  readonly sessionSecret: string | null
  /** The value of the device cookie; null: there is none. */
  readonly deviceSecret: string | null
  readonly address: string
  /** The networks of the address, for counting attempts. The narrowest first. */
  readonly networks: readonly string[]
  readonly userAgent: string
  readonly requestId: Id<'request'>
}

import type { Id } from '../../kernel/id.ts'

/** A key that lives in a device or with its maker, and opens the dashboard without a password. */
export type Passkey = {
  readonly id: Id<'passkey'>
  readonly personId: Id<'person'>
  /** What the person calls it. */
  readonly name: string
  readonly credentialId: string
  readonly publicKey: Buffer
  /** How often it says it was used. One that counts backwards is a copy. */
  readonly counter: number
  readonly transports: readonly string[]
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

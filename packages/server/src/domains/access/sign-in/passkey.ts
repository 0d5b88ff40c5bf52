import type { Id } from '../../../kernel/id.ts'

/** A passkey, which signs a person in without a password. */
export type Passkey = {
  readonly id: Id<'passkey'>
  readonly personId: Id<'person'>
  /** The name that the person has chosen. */
  readonly name: string
  readonly credentialId: string
  readonly publicKey: Buffer
  /** The signature counter of the device. If it goes back, the passkey was cloned. */
  readonly counter: number
  readonly transports: readonly string[]
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

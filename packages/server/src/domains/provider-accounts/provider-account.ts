/** An account of a business with a provider: where payments can be taken, and on which terms. */
import type { Id } from '../../kernel/id.ts'
import type { Capabilities } from '../../providers/contract.ts'
import type { Phase } from './breaker.ts'
import type { Narrowing } from './capabilities.ts'
import type { Counts, Lane } from './health.ts'
import type { Status } from './machine.ts'
import type { ProviderName, Settings } from './settings.ts'

/** `pan`: it may be sent card numbers. `token`: it gets nothing but tokens that it made itself. */
export const cardDataKinds = ['pan', 'token'] as const
export type CardData = (typeof cardDataKinds)[number]

/** Every payment looks at all of them, so there is an end. Archived ones do not count. */
export const maxAccounts = 50

/** Nothing new is sent there until then. Each has an end: one that is forgotten would be an outage. */
export type Hold = { readonly reason: string; readonly untilAt: Date }

/** A promise of the protocol that the provider did not keep. */
export type CheckFault = { readonly duty: string; readonly detail: string }
export type Check = { readonly at: Date; readonly faults: readonly CheckFault[] }

/** What a caller may set. */
export type AccountSettings = {
  readonly displayName: string
  /** In which order the default route asks them: lower first. */
  readonly position: number
  readonly settings: Settings
  /** What the business wants less of than the provider can do. */
  readonly narrowing: Narrowing
  readonly metadata: { readonly [key: string]: string }
}

export type ProviderAccount = AccountSettings & {
  readonly id: Id<'provider_account'>
  readonly provider: ProviderName
  readonly status: Status
  readonly cardData: CardData
  /** What the provider said of itself when it last passed a check. */
  readonly manifest: object | null
  /** What can be done here: what the provider can, less what the business does not want. */
  readonly capabilities: Capabilities
  readonly hold: Hold | null
  readonly check: Check | null
  readonly hasCredentials: boolean
  readonly secretRotatedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** How it fares: its breakers as they are now, and its authorizations of the last hour. */
export type Health = {
  readonly breakers: { readonly [L in Lane]: { readonly phase: Phase; readonly nextProbeAt: Date | null } }
  readonly lastHour: Counts
}

/** As it is shown and told: with how it fares, and the address at which the provider reaches us. */
export type ShownAccount = ProviderAccount & { readonly health: Health; readonly webhookUrl: string }

/** With the text of its newest secret, for whoever made it; null if nobody but us needs it. */
export type RevealedAccount = ShownAccount & { readonly secret: string | null }

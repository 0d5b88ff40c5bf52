/** An account of a merchant at a provider, which processes payments within its capabilities. */
import type { Id } from '../../../kernel/id.ts'
import type { Capabilities, CostSegment } from '../../../providers/contract.ts'
import type { ProviderName } from '../../../providers/provider-names.ts'
import type { Phase } from './breaker.ts'
import type { Narrowing } from './capabilities.ts'
import type { Counts, Lane } from './health.ts'
import type { Status } from './machine.ts'
import type { Settings } from './settings.ts'

/** `pan`: the account accepts card numbers. `token`: it accepts only tokens that its provider issued. */
export const cardDataKinds = ['pan', 'token'] as const
export type CardData = (typeof cardDataKinds)[number]

/** The limit per workspace, because every payment evaluates all accounts. Archived accounts do not count. */
export const maxAccounts = 50

/**
 * The account receives no new payments until `untilAt`. Every hold has an end, because a forgotten one would
 * be an outage.
 */
export type Hold = { readonly reason: string; readonly untilAt: Date }

/** A requirement of the protocol that the provider did not meet. */
export type CheckFault = { readonly duty: string; readonly detail: string }
export type Check = { readonly at: Date; readonly faults: readonly CheckFault[] }

/** The members that a caller can set. */
export type AccountSettings = {
  readonly displayName: string
  /** The default order of accounts: lower first. */
  readonly position: number
  readonly settings: Settings
  /** Restrictions on the provider’s capabilities. */
  readonly narrowing: Narrowing
  /** The fees that the operator entered: the first segment that matches a payment applies. */
  readonly costs: readonly CostSegment[]
  readonly metadata: { readonly [key: string]: string }
}

export type ProviderAccount = AccountSettings & {
  readonly id: Id<'provider_account'>
  readonly provider: ProviderName
  readonly status: Status
  readonly cardData: CardData
  /** The manifest of the provider from its last successful check. */
  readonly manifest: object | null
  /** The capabilities of the provider, narrowed by the restrictions of the merchant. */
  readonly capabilities: Capabilities
  readonly hold: Hold | null
  readonly check: Check | null
  readonly hasCredentials: boolean
  /** The names of a connector's credentials. */
  readonly credentialNames: readonly string[]
  readonly secretRotatedAt: Date | null
  /** When a credential of a connector that authenticates calls was last replaced. */
  readonly callCredentialsChangedAt: Date | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** Whether the provider is neither the simulator nor a custom one. */
export function isConnector({ provider }: Pick<ProviderAccount, 'provider'>): boolean {
  return provider !== 'simulator' && provider !== 'custom'
}

/** The current circuit breakers of an account, and its authorizations of the last hour. */
export type Health = {
  readonly breakers: { readonly [L in Lane]: { readonly phase: Phase; readonly nextProbeAt: Date | null } }
  /** When the provider began to reject our credentials; null: it accepts them. */
  readonly credentialsRefusedSince: Date | null
  readonly lastHour: Counts
}

/** The account as the API and events present it: with its health and its webhook URL. */
export type AccountDetails = ProviderAccount & { readonly health: Health; readonly webhookUrl: string }

/** The account with its newest secret, for the caller that created the secret; null unless the provider is custom. */
export type RevealedAccount = AccountDetails & { readonly secret: string | null }

/** The dependencies of service functions. Built once, in compose.ts, and passed explicitly. */
import type { Authority, Caller } from './kernel/caller.ts'
import type { Cells } from './kernel/cells.ts'
import type { CheckoutLimits } from './kernel/checkout-limits.ts'
import type { Checkup } from './kernel/checkup.ts'
import type { Id, Kind, Mode, Ref } from './kernel/id.ts'
import type { UnitDeps } from './platform/db/unit-of-work.ts'
import type { Announcements } from './platform/engine/announce.ts'
import type { WorkType as GenericWorkType } from './platform/engine/work.ts'
import type { RateLimitResult } from './platform/http/limits.ts'
import type { Versions } from './platform/http/versions.ts'
import type { Log } from './platform/log.ts'
import type { MailEventSettings, Mailer } from './platform/mail.ts'
import type { Metrics } from './platform/metrics.ts'
import type { Outbound } from './platform/outbound/outbound.ts'
import type { SealedBox } from './platform/sealed-box.ts'
import type { Thread } from './platform/thread.ts'
import type { Certificates } from './providers/certificates.ts'
import type { AccountCheck, CheckedAccount } from './providers/check-account.ts'
import type { Found, OperationKind } from './providers/contract.ts'
import type { NotSent } from './providers/evidence.ts'
import type { Performer } from './providers/perform.ts'
import type { Registry } from './providers/registry.ts'

/**
 * The caches of domains. This file cannot import the types of their values, because domains import this file:
 * each domain adds its own caches, next to the functions that read them.
 */
// biome-ignore lint/suspicious/noEmptyInterface: domains add its members.
export interface Caches {}

type CachesAndUnits = Caches & UnitDeps

export type Deps = CachesAndUnits & {
  readonly versions: Versions
  readonly allowedOperations: (authority: Authority, mode: Mode) => readonly string[]
  readonly sealedBox: SealedBox
  /** Whether production accepts card numbers. */
  readonly vaultLive: boolean
  /** Font files for scripts that the built-in font of invoices does not have. */
  readonly invoiceFonts: readonly string[]
  readonly outbound: Outbound
  readonly webhookDispatcher: WebhookDispatcher
  /** The other cells of the installation. */
  readonly cells: Cells
  /** The public addresses of the two environments. */
  readonly addresses: { readonly [M in Mode]: string }
  readonly providers: Registry
  /** The address of the simulator; null: there is none. */
  readonly simulatorUrl: string | null
  /** The secret that the simulator requires for changes from another machine. */
  readonly simulatorSecret: string | null
  /** Checks whether a provider conforms to the protocol. Never inside a unit of work. */
  readonly checkProvider: (account: CheckedAccount) => Promise<AccountCheck>
  /** Runs long computations outside of the event loop. */
  readonly thread: Thread
  /** Calls providers. Never inside a unit of work. */
  readonly performer: Performer
  /** The certificates with which providers sign webhooks. Never inside a unit of work. */
  readonly certificates: Certificates
  readonly health: Health
  readonly limits: Limits
  readonly exportLimits: ExportLimits
  /** Sign the addresses and secrets for payers. The first key signs, all of them verify. */
  readonly linkKeys: readonly Uint8Array[]
  /** Sign the tokens of dashboard sessions. The first key signs, all of them verify. */
  readonly sessionKeys: readonly Uint8Array[]
  /** Sign the cookies of browsers that have signed in before. The first key signs, all of them verify. */
  readonly deviceKeys: readonly Uint8Array[]
  /** Revokes the API tokens of a deactivated person, each in its workspace. */
  readonly revokeApiTokens: (caller: Caller, tokens: readonly Ref<'api_token'>[]) => Promise<void>
  /** The public address of the dashboard. */
  readonly dashboardUrl: () => string
  readonly log: Log
  /** How many declined payments are allowed on payment pages. */
  readonly checkoutLimits: CheckoutLimits
  /** Counts the opening of a payment link, and returns whether the rate limit of the link allows it. */
  readonly limitLinkOpens: (id: Id<'payment_link'>) => RateLimitResult
  /** Metrics of payment pages. */
  readonly checkoutMetrics: Pick<Metrics, 'checkoutTries' | 'checkoutAlarms'>
  /** Metrics of the ledger, settlement and exports. */
  readonly financeMetrics: Pick<
    Metrics,
    'ledgerContradictions' | 'settlementImports' | 'exportsEnded' | 'exportedRows' | 'exportUploads'
  >
  /** How reports of mail services are authenticated. */
  readonly mailEvents: MailEventSettings
  readonly mailMetrics: Pick<Metrics, 'mailsEnded'>
  /** Metrics of tax providers. */
  readonly taxMetrics: Pick<Metrics, 'taxDocuments'>
  /** Sends e-mails; null: not configured. Never inside a unit of work. */
  readonly mailer: Mailer | null
  /** Tracks a promise that no request waits for. The process waits for it before it exits. */
  readonly runInBackground: (work: Promise<unknown>) => void
  /** All types of background work. A test clock runs the work that is due at its time. */
  readonly workTypes: () => readonly WorkType[]
  readonly announcements: Pick<Announcements, 'listen'>
  /** Checks the whole installation. Never inside a unit of work. */
  readonly runCheckup: () => Promise<Checkup>
}

/**
 * The health of provider accounts, as observed by this process. It is stateful, so there is one instance.
 * Each account has two breakers, called lanes: one for authorizations, and one for captures, voids and
 * refunds.
 */
export type Health = {
  /** Records the result of a call. `tookMs` is null if it was not measured. */
  recordResult(account: Ref<'provider_account'>, call: ProviderCallResult): void
  /** Whether the breaker is open. The account is then tried last, but never excluded. */
  isOpen(id: Id<'provider_account'>, lane: 'authorize' | 'rest'): boolean
  /** Whether the next payment may probe an account with an open breaker, by trying it at its usual position. */
  shouldProbe(id: Id<'provider_account'>, lane: 'authorize' | 'rest'): boolean
  /** Call this before a request is sent: for a while no other payment needs to probe. */
  recordProbeStart(id: Id<'provider_account'>, lane: 'authorize' | 'rest'): void
}

export type ProviderCallResult = {
  readonly kind: OperationKind
  readonly observed: Found | NotSent
  readonly tookMs: number | null
}

/** Timeouts of calls and requests. */
export type Limits = {
  /** For a call that moves money. A shorter timeout only makes more outcomes unknown. */
  readonly providerMs: number
  /** For a request of the API, which then responds with the current state. */
  readonly requestMs: number
}

/** How many bytes exports may occupy in the database. */
export type ExportLimits = {
  /** The files of one workspace together. */
  readonly storedBytes: number
  /** The file of one day, until it is uploaded. */
  readonly dailyBytes: number
}

/** Serves webhook endpoints from this process. It is stateful, so there is one instance. */
export type WebhookDispatcher = {
  /** Sends all due deliveries of an endpoint, unless another process already does. */
  serve(endpoint: Ref<'webhook_endpoint'>): Promise<void>
  /** Makes one attempt immediately, in any state of the endpoint. Its result is final for the delivery. */
  tryOnce(delivery: Ref<'delivery'>): Promise<void>
}

export type WorkType<K extends Kind = Kind> = GenericWorkType<Deps, K>

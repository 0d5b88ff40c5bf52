/** What verbs need of the outside world. Built once, in compose.ts; handed down by hand. */
import type { Authority } from './kernel/caller.ts'
import type { Checkup } from './kernel/checkup.ts'
import type { Id, Kind, Mode, Ref } from './kernel/id.ts'
import type { Cache } from './platform/cache.ts'
import type { UnitDeps } from './platform/db/unit-of-work.ts'
import type { Announcements } from './platform/engine/announce.ts'
import type { Work as WorkOf } from './platform/engine/work.ts'
import type { Versions } from './platform/http/versions.ts'
import type { Log } from './platform/log.ts'
import type { Mailer } from './platform/mail.ts'
import type { Memory } from './platform/memory.ts'
import type { Metrics } from './platform/metrics.ts'
import type { Outbound } from './platform/outbound/outbound.ts'
import type { SealedBox } from './platform/sealed-box.ts'
import type { AccountCheck, CheckedAccount } from './providers/check-account.ts'
import type { Found, OperationKind } from './providers/contract.ts'
import type { NotSent } from './providers/evidence.ts'
import type { Performer } from './providers/perform.ts'
import type { Registry } from './providers/registry.ts'

export type Deps = UnitDeps & {
  readonly versions: Versions
  readonly allowedOperations: (authority: Authority, mode: Mode) => readonly string[]
  readonly sealedBox: SealedBox
  /** Whether the operator lets production take card numbers. */
  readonly vaultLive: boolean
  /** Font files for scripts that the built-in font of invoices does not have. */
  readonly invoiceFonts: readonly string[]
  readonly outbound: Outbound
  readonly courier: Courier
  /** How the two environments are reached from outside. */
  readonly addresses: { readonly [M in Mode]: string }
  readonly providers: Registry
  /** Where the operator runs the simulator; null: nowhere. */
  readonly simulatorUrl: string | null
  /** Asks a provider whether it keeps the promises of its protocol. Never inside a unit of work. */
  readonly checkProvider: (account: CheckedAccount) => Promise<AccountCheck>
  /** Accounts with their secrets opened: `openAccount` alone reads it. */
  readonly openAccounts: Cache<unknown>
  /** Payment links and sellers as payers see them: `recallLink` and `findSeller` alone read them. */
  readonly publicLinks: Cache<unknown>
  readonly sellers: Cache<unknown>
  /** What decides where payments go, per workspace: `decideFor` alone reads it. */
  readonly routing: Memory<unknown>
  /** Revisions of payment routes as they are asked. They never change. */
  readonly compiledRoutes: Cache<unknown>
  /** Calls providers. Never inside a unit of work. */
  readonly performer: Performer
  readonly health: Health
  readonly limits: Limits
  /** Prove that an address or a secret for a payer was made by us; the first one makes them. */
  readonly linkKeys: readonly Uint8Array[]
  /** The same for the tokens of those who are signed in at the dashboard. */
  readonly sessionKeys: readonly Uint8Array[]
  /** How browsers reach the dashboard. */
  readonly dashboardUrl: () => string
  readonly log: Log
  /** What payers try at payment pages, as figures. */
  readonly checkoutFigures: Pick<Metrics, 'checkoutTries' | 'checkoutAlarms'>
  /** Sends mails; null: nobody has set it up. Never inside a unit of work. */
  readonly mailer: Mailer | null
  /** Something goes on though nobody waits for it. The process ends it before it ends itself. */
  readonly later: (work: Promise<unknown>) => void
  /** Everything that happens by itself: a test clock hands out what is due on it. */
  readonly works: () => readonly Work[]
  readonly announcements: Pick<Announcements, 'listen'>
  /** Looks at the whole installation. Never inside a unit of work. */
  readonly examine: () => Promise<Checkup>
}

/** How provider accounts fare, as this process knows it. It has a memory, so there is one of it; nothing here waits. */
export type Health = {
  /** What a call came to. `tookMs` is null if nobody measured. */
  note(account: Ref<'provider_account'>, call: HeardCall): void
  /** Whether payments should go elsewhere first. The account stands at the end of the line, never out of it. */
  isOpen(id: Id<'provider_account'>, lane: 'authorize' | 'rest'): boolean
  /** Whether one that is open may keep its place for the next payment, to find out if it is well again. */
  mayProbe(id: Id<'provider_account'>, lane: 'authorize' | 'rest'): boolean
  /** Something is sent there now: for a while no other payment has to find out. */
  began(id: Id<'provider_account'>, lane: 'authorize' | 'rest'): void
}

export type HeardCall = {
  readonly kind: OperationKind
  readonly learned: Found | NotSent
  readonly tookMs: number | null
}

/** How long strangers are waited for. */
export type Limits = {
  /** For a provider that moves money. A shorter one only makes outcomes unknown. */
  readonly providerMs: number
  /** For a request of the API, which answers with what is known by then. */
  readonly requestMs: number
}

/** Serves webhook endpoints from this process. It has a memory, so there is one of it. */
export type Courier = {
  /** Sends what is due to an endpoint until nothing is, unless another process does. */
  serve(endpoint: Ref<'webhook_endpoint'>): Promise<void>
  /** One attempt, now and whatever state the endpoint is in. The delivery is settled by it. */
  tryOnce(delivery: Ref<'delivery'>): Promise<void>
}

export type Work<K extends Kind = Kind> = WorkOf<Deps, K>

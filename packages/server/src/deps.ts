/** What verbs need of the outside world. Built once, in compose.ts; handed down by hand. */
import type { Authority } from './kernel/caller.ts'
import type { Kind, Mode, Ref } from './kernel/id.ts'
import type { Cache } from './platform/cache.ts'
import type { UnitDeps } from './platform/db/unit-of-work.ts'
import type { Announcements } from './platform/engine/announce.ts'
import type { Work as WorkOf } from './platform/engine/work.ts'
import type { Versions } from './platform/http/versions.ts'
import type { Log } from './platform/log.ts'
import type { Outbound } from './platform/outbound/outbound.ts'
import type { SealedBox } from './platform/sealed-box.ts'
import type { AccountCheck, CheckedAccount } from './providers/check-account.ts'
import type { Performer } from './providers/perform.ts'
import type { Registry } from './providers/registry.ts'

export type Deps = UnitDeps & {
  readonly versions: Versions
  readonly allowedOperations: (authority: Authority, mode: Mode) => readonly string[]
  readonly sealedBox: SealedBox
  /** Whether the operator lets production take card numbers. */
  readonly vaultLive: boolean
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
  /** Calls providers. Never inside a unit of work. */
  readonly performer: Performer
  readonly limits: Limits
  /** Prove that an address for a payer was made by us; the first one makes them. */
  readonly linkKeys: readonly Uint8Array[]
  readonly log: Log
  /** Something goes on though nobody waits for it. The process ends it before it ends itself. */
  readonly later: (work: Promise<unknown>) => void
  readonly announcements: Pick<Announcements, 'listen'>
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

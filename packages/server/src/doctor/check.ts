/** A check looks for one possible fault, reports its finding, and changes nothing. */
import type { Config } from '../config.ts'
import type { WorkType } from '../deps.ts'
import type { CheckResult } from '../kernel/checkup.ts'
import type { Clock } from '../kernel/clock.ts'
import { machineTime } from '../kernel/clock.ts'
import type { Id } from '../kernel/id.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Owner } from '../platform/db/owner.ts'
import { type Volume, volumeOf } from '../platform/disk.ts'
import type { Engine } from '../platform/engine/engine.ts'
import { mxRecords, txtRecords } from '../platform/outbound/dns-records.ts'
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import { fetchOwnAddress } from '../platform/outbound/own-address.ts'

/** How the checks access the machine they run on. */
export type Machine = {
  readonly time: () => Date
  readonly volumeOf: (folder: string) => Promise<Volume | null>
  /** Calls an address of this installation like an external client. */
  readonly fetch: (url: string) => Promise<OutboundReply>
  /** TXT records, from the DNS server at this address, or those of the operating system. */
  readonly txtRecords: (name: string, server: string | null) => Promise<readonly string[]>
  /** The hosts in MX records. */
  readonly mxRecords: (name: string, server: string | null) => Promise<readonly string[]>
}

export const thisMachine: Machine = {
  time: machineTime,
  volumeOf,
  fetch: fetchOwnAddress,
  txtRecords,
  mxRecords,
}

export type DoctorTools = {
  readonly config: Pick<
    Config,
    | 'databaseUrl'
    | 'databaseOwnerUrl'
    | 'databaseDiskGb'
    | 'shards'
    | 'natsUrl'
    | 'addresses'
    | 'masterKeys'
    | 'vaultLive'
    | 'mail'
    | 'notices'
  >
  readonly databases: Databases
  readonly clock: Clock
  readonly engine: Pick<Engine, 'connection' | 'unavailableForMs'>
  readonly workTypes: readonly WorkType[]
  readonly machine: Machine
  /** Calls the tax provider of a workspace; null if it has none. */
  readonly checkTaxProvider: CheckWorkspace
  /** Calls the card vault of a workspace; null if it has none. */
  readonly checkVault: CheckWorkspace
}

type CheckWorkspace = (workspaceId: Id<'workspace'>) => Promise<{ readonly fault: string | null } | null>

export type CheckFinding = Pick<CheckResult, 'status' | 'detail' | 'advice' | 'which'>

export type CheckContext = DoctorTools & { readonly owner: Owner }

export type Check = {
  readonly id: string
  readonly title: string
  /** Whether the check runs on each database: on the control plane and on every shard. */
  readonly perDatabase?: boolean
  run(tools: CheckContext): Promise<CheckFinding>
}

export const ok = (detail: string): CheckFinding => ({ status: 'ok', detail, advice: null, which: [] })
export const warn = (detail: string, advice: string, which: readonly string[] = []): CheckFinding => ({
  status: 'warn',
  detail,
  advice,
  which,
})
export const fail = (detail: string, advice: string, which: readonly string[] = []): CheckFinding => ({
  status: 'fail',
  detail,
  advice,
  which,
})

/** Lists only the first few, so that the sentence stays short. */
export function listSome(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

/** The current time, to compare with times that tenants set. */
export function instantOf(clock: Clock): Date {
  const reading = clock.read()
  return reading.from === 'database' ? machineTime() : reading.at
}

export const inMb = (bytes: number) => `${Math.round(bytes / 1_048_576).toLocaleString('en')} MB`

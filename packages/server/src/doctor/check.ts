/** A check looks at one thing that may be wrong, says what it found, and changes nothing. */
import type { Config } from '../config.ts'
import type { Work } from '../deps.ts'
import type { CheckResult } from '../kernel/checkup.ts'
import type { Clock } from '../kernel/clock.ts'
import { machineTime } from '../kernel/clock.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Owner } from '../platform/db/owner.ts'
import { type Volume, volumeOf } from '../platform/disk.ts'
import type { Engine } from '../platform/engine/engine.ts'
import type { OutboundReply } from '../platform/outbound/outbound.ts'
import { askOwnAddress } from '../platform/outbound/own-address.ts'

/** What the checks know of the machine they run on. */
export type Machine = {
  readonly time: () => Date
  readonly volumeOf: (folder: string) => Promise<Volume | null>
  /** Asks an address of our own, as somebody outside would. */
  readonly ask: (url: string) => Promise<OutboundReply>
}

export const thisMachine: Machine = { time: machineTime, volumeOf, ask: askOwnAddress }

export type Tools = {
  readonly config: Pick<
    Config,
    | 'databaseUrl'
    | 'databaseOwnerUrl'
    | 'databaseDiskGb'
    | 'natsUrl'
    | 'addresses'
    | 'masterKeys'
    | 'vaultLive'
    | 'mail'
    | 'notices'
  >
  readonly databases: Databases
  readonly clock: Clock
  readonly engine: Pick<Engine, 'connection' | 'awayForMs'>
  readonly works: readonly Work[]
  readonly machine: Machine
}

export type Verdict = Pick<CheckResult, 'status' | 'detail' | 'advice' | 'which'>

export type Seeing = Tools & { readonly owner: Owner }

export type Check = {
  readonly id: string
  readonly title: string
  look(tools: Seeing): Promise<Verdict>
}

export const ok = (detail: string): Verdict => ({ status: 'ok', detail, advice: null, which: [] })
export const warn = (detail: string, advice: string, which: readonly string[] = []): Verdict => ({
  ...{ status: 'warn', detail, advice, which },
})
export const fail = (detail: string, advice: string, which: readonly string[] = []): Verdict => ({
  ...{ status: 'fail', detail, advice, which },
})

/** A few of them, so that a sentence stays one. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

/** The instant that tenants' times are compared with. */
export function instantOf(clock: Clock): Date {
  const reading = clock.read()
  return reading.from === 'database' ? machineTime() : reading.at
}

export const inMb = (bytes: number) => `${Math.round(bytes / 1_048_576).toLocaleString('en')} MB`

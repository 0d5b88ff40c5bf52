/** A check looks at one thing that may be wrong, says what it found, and changes nothing. */
import type { Config } from '../config.ts'
import type { Work } from '../deps.ts'
import type { CheckResult } from '../kernel/checkup.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Databases } from '../platform/db/databases.ts'
import type { Engine } from '../platform/engine/engine.ts'

export type Tools = {
  readonly config: Pick<
    Config,
    'databaseOwnerUrl' | 'natsUrl' | 'addresses' | 'masterKeys' | 'vaultLive' | 'mail'
  >
  readonly databases: Databases
  readonly clock: Clock
  readonly engine: Pick<Engine, 'connection' | 'awayForMs'>
  readonly works: readonly Work[]
}

export type Verdict = Pick<CheckResult, 'status' | 'detail' | 'advice'>

export type Check = {
  readonly id: string
  readonly title: string
  look(tools: Tools): Promise<Verdict>
}

export const ok = (detail: string): Verdict => ({ status: 'ok', detail, advice: null })
export const warn = (detail: string, advice: string): Verdict => ({ status: 'warn', detail, advice })
export const fail = (detail: string, advice: string): Verdict => ({ status: 'fail', detail, advice })

/** A few of them, so that a sentence stays one. */
export function someOf(names: readonly string[]): string {
  const shown = names.slice(0, 5).join(', ')
  return names.length > 5 ? `${shown} and ${names.length - 5} more` : shown
}

import type { Deps } from '../../../../deps.ts'
import { machineTime } from '../../../../kernel/clock.ts'

/** The current time outside a transaction. Only for early checks: the transaction that pays checks again. */
export function currentTime({ clock }: Pick<Deps, 'clock'>): Date {
  const reading = clock.read()
  return reading.from === 'database' ? machineTime() : reading.at
}

// The log of the receiver against the log of events.

import type { Switchyard } from '@switchyard/sdk'
import { firstOf, outOfOrder } from '../support/handled.ts'
import type { Received } from './receiver.ts'

export type Verdict = {
  readonly events: number
  readonly received: number
  readonly missing: readonly string[]
  /** Came, and is no event of the workspace. */
  readonly strange: readonly string[]
  readonly outOfOrder: readonly string[]
  /** Came again, and was on its way when `listen` was killed: nobody could know whether it had arrived. */
  readonly repeatedInFlight: number
  /** Came again without that excuse. */
  readonly repeated: readonly string[]
}

/** So long may pass between the arrival of an event and the moment in which that is written down. */
const inFlightMs = 1_000

export async function verdictOf(
  client: Switchyard,
  received: readonly Received[],
  kill: { readonly atMs: number; readonly inFlight: number },
): Promise<Verdict> {
  const events = new Set<string>()
  for await (const { id } of client.events.list()) events.add(id)
  const distinct = new Set(received.map(({ id }) => id))
  const firsts = firstOf(received)
  const isFirst = new Set(firsts)
  const again = received.filter((one) => !isFirst.has(one))
  const isExcused = (id: string) => {
    const first = firsts.find((one) => one.id === id)
    return first !== undefined && first.atMs <= kill.atMs && first.atMs > kill.atMs - inFlightMs
  }
  const excused = again.filter(({ id }) => isExcused(id)).slice(0, kill.inFlight)
  return {
    events: events.size,
    received: received.length,
    missing: [...events].filter((id) => !distinct.has(id)),
    strange: [...distinct].filter((id) => !events.has(id)),
    outOfOrder: outOfOrder(firsts),
    repeatedInFlight: excused.length,
    repeated: again.filter((one) => !excused.includes(one)).map(({ id }) => id),
  }
}

export function isSound({ missing, strange, outOfOrder: wrong, repeated }: Verdict): boolean {
  return missing.length + strange.length + wrong.length + repeated.length === 0
}

// Compares the requests that the receiver got with the event log.

import type { Switchyard } from '@switchyard/sdk'
import { objectsOutOfOrder, withoutRepeats } from '../support/handled.ts'
import type { Received } from './receiver.ts'

export type SoakResult = {
  readonly events: number
  readonly received: number
  readonly missing: readonly string[]
  /** Received, but not an event of the workspace. */
  readonly unexpected: readonly string[]
  readonly outOfOrder: readonly string[]
  /** Received again because it was in flight when `listen` was killed, which is allowed. */
  readonly repeatedInFlight: number
  /** Received again without being in flight, which is an error. */
  readonly repeated: readonly string[]
}

/** The maximum time between the arrival of an event and the time at which the listener saves the delivery. */
const inFlightMs = 1_000

export async function soakResultOf(
  client: Switchyard,
  received: readonly Received[],
  kill: { readonly atMs: number; readonly inFlight: number },
): Promise<SoakResult> {
  const events = new Set<string>()
  for await (const { id } of client.events.list()) events.add(id)
  const distinct = new Set(received.map(({ id }) => id))
  const firstRequests = withoutRepeats(received)
  const isFirst = new Set(firstRequests)
  const repeats = received.filter((request) => !isFirst.has(request))
  const wasInFlight = (id: string) => {
    const first = firstRequests.find((request) => request.id === id)
    return first !== undefined && first.atMs <= kill.atMs && first.atMs > kill.atMs - inFlightMs
  }
  const inFlightRepeats = repeats.filter(({ id }) => wasInFlight(id)).slice(0, kill.inFlight)
  return {
    events: events.size,
    received: received.length,
    missing: [...events].filter((id) => !distinct.has(id)),
    unexpected: [...distinct].filter((id) => !events.has(id)),
    outOfOrder: objectsOutOfOrder(firstRequests),
    repeatedInFlight: inFlightRepeats.length,
    repeated: repeats.filter((request) => !inFlightRepeats.includes(request)).map(({ id }) => id),
  }
}

export function hasPassed({ missing, unexpected, outOfOrder: misordered, repeated }: SoakResult): boolean {
  return missing.length + unexpected.length + misordered.length + repeated.length === 0
}

/** Orders events that became visible together, and determines which of them were sent already. */
import type { Position } from './reader-position.ts'

export type EventKey = Position & { readonly objectUuid: string }

/**
 * Orders events by id, but events of one object by their sequence. An id contains the time at which its
 * transaction started, and if two transactions on one object run concurrently, the first to start may be the
 * last to change the object. So an event is placed at the lowest id among itself and the later events of its
 * object. A position consists of that id and the sequence, so the position of the last sent event determines
 * which events were sent.
 */
export function orderEvents<E extends EventKey>(
  events: readonly E[],
): { readonly event: E; readonly position: Position }[] {
  const lowestIds = new Map<string, string>()
  return events
    .toSorted((a, b) => b.sequence - a.sequence)
    .map((event) => {
      const uuid = lowerId(event.uuid, lowestIds.get(event.objectUuid))
      lowestIds.set(event.objectUuid, uuid)
      return { event, position: { uuid, sequence: event.sequence } }
    })
    .toSorted(({ position: a }, { position: b }) => compare(a.uuid, b.uuid) || a.sequence - b.sequence)
}

/** The position of the last sent event, and for each object the latest sequence with a lower id. */
export type SentEvents = { readonly last: Position; readonly below: ReadonlyMap<string, number> }

/**
 * Removes events that were sent already, at their own id or at the lower id of a later event of their object.
 */
export function withoutSent<E extends EventKey>(events: readonly E[], { last, below }: SentEvents): E[] {
  const eventAtPosition = events.find(({ uuid }) => uuid === last.uuid)
  return events.filter(({ objectUuid, sequence }) => {
    const isAtPosition = eventAtPosition?.objectUuid === objectUuid && sequence <= eventAtPosition.sequence
    return sequence > (below.get(objectUuid) ?? 0) && !(isAtPosition && sequence <= last.sequence)
  })
}

/** For each object the highest sequence of its events. */
export function latestSequences(events: readonly EventKey[]): Map<string, number> {
  const latest = new Map<string, number>()
  for (const { objectUuid, sequence } of events)
    latest.set(objectUuid, Math.max(sequence, latest.get(objectUuid) ?? 0))
  return latest
}

function lowerId(uuid: string, other: string | undefined): string {
  return other === undefined || uuid < other ? uuid : other
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

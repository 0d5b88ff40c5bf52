/** In which order events that became visible together are sent, and which of them have been. */
import type { Position } from './stream-place.ts'

export type Placed = Position & { readonly objectUuid: string }

/**
 * By id, but those of one object by their sequence. An id tells when a transaction began, and of two that met
 * at one object the first to begin may have been the last to change it. So an event moves up to the first of
 * those that must follow it. Whether an event was sent already can then be told from the last one that was:
 * each stands with the id at which it was sent, and its sequence.
 */
export function inOrder<E extends Placed>(
  events: readonly E[],
): { readonly event: E; readonly position: Position }[] {
  const firstOf = new Map<string, string>()
  return events
    .toSorted((a, b) => b.sequence - a.sequence)
    .map((event) => {
      const uuid = least(event.uuid, firstOf.get(event.objectUuid))
      firstOf.set(event.objectUuid, uuid)
      return { event, position: { uuid, sequence: event.sequence } }
    })
    .toSorted(({ position: a }, { position: b }) => compare(a.uuid, b.uuid) || a.sequence - b.sequence)
}

/** The last event that was sent, and of each object the latest change whose id is lower than its. */
export type Sent = { readonly last: Position; readonly below: ReadonlyMap<string, number> }

/** Without what stood before the last one sent: for its own id, or for that of a later change of its object. */
export function withoutSent<E extends Placed>(events: readonly E[], { last, below }: Sent): E[] {
  const there = events.find(({ uuid }) => uuid === last.uuid)
  return events.filter(({ objectUuid, sequence }) => {
    const movedThere = there?.objectUuid === objectUuid && sequence <= there.sequence
    return sequence > (below.get(objectUuid) ?? 0) && !(movedThere && sequence <= last.sequence)
  })
}

/** Of each object the number of its latest change. */
export function latestOf(events: readonly Placed[]): Map<string, number> {
  const latest = new Map<string, number>()
  for (const { objectUuid, sequence } of events)
    latest.set(objectUuid, Math.max(sequence, latest.get(objectUuid) ?? 0))
  return latest
}

function least(uuid: string, other: string | undefined): string {
  return other === undefined || uuid < other ? uuid : other
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1
}

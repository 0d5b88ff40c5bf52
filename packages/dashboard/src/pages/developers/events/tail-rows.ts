/** What a live tail shows and what waits. Bounded: whoever looks for an hour has no more in memory than before. Pure. */
import type { Event } from '@switchyard/sdk'
import { objectIdOf } from './content.ts'

export type TailRow = {
  readonly id: string
  readonly type: string
  readonly objectId: string | null
  readonly at: string
  readonly event: Event
}
export type Tail = {
  /** The newest first. */
  readonly rows: readonly TailRow[]
  /** What came while nothing may move, the newest first. */
  readonly waiting: readonly TailRow[]
  readonly isHeld: boolean
  readonly seen: number
}

/** So many rows are kept; older ones are in the list of events. */
export const kept = 2_000

export const emptyTail: Tail = { rows: [], waiting: [], isHeld: false, seen: 0 }

/** A batch in the order in which it came. What nobody will see is not even read. */
export function received(tail: Tail, batch: readonly Event[]): Tail {
  const rows = batch.slice(-kept).map(rowOf).toReversed()
  const seen = tail.seen + batch.length
  const into = (before: readonly TailRow[]) => [...rows, ...before].slice(0, kept)
  return tail.isHeld
    ? { ...tail, seen, waiting: into(tail.waiting) }
    : { ...tail, seen, rows: into(tail.rows) }
}

export function held(tail: Tail): Tail {
  return { ...tail, isHeld: true }
}

export function released(tail: Tail): Tail {
  return { ...tail, isHeld: false, rows: [...tail.waiting, ...tail.rows].slice(0, kept), waiting: [] }
}

/** Those that have the text in their type or in the id of their object. */
export function matching(rows: readonly TailRow[], text: string): readonly TailRow[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return rows
  return rows.filter(
    ({ type, objectId }) => type.includes(wanted) || objectId?.toLowerCase().includes(wanted),
  )
}

function rowOf(event: Event): TailRow {
  return { id: event.id, type: event.type, objectId: objectIdOf(event), at: event.created_at, event }
}

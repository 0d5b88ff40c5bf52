/**
 * The rows of a live tail, shown and waiting. Their number is limited, so that memory does not grow. No side effects.
 */
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
  /** Events received while the tail is paused, the newest first. */
  readonly waiting: readonly TailRow[]
  readonly isPaused: boolean
  readonly receivedCount: number
}

/** The maximum number of rows; older events are in the list of events. */
export const maxRows = 2_000

export const emptyTail: Tail = { rows: [], waiting: [], isPaused: false, receivedCount: 0 }

/** Adds a batch in order of arrival. Events beyond the limit are not parsed. */
export function addEvents(tail: Tail, batch: readonly Event[]): Tail {
  const rows = batch.slice(-maxRows).map(rowOf).toReversed()
  const receivedCount = tail.receivedCount + batch.length
  const prepend = (before: readonly TailRow[]) => [...rows, ...before].slice(0, maxRows)
  return tail.isPaused
    ? { ...tail, receivedCount, waiting: prepend(tail.waiting) }
    : { ...tail, receivedCount, rows: prepend(tail.rows) }
}

export function pause(tail: Tail): Tail {
  return { ...tail, isPaused: true }
}

export function resume(tail: Tail): Tail {
  return { ...tail, isPaused: false, rows: [...tail.waiting, ...tail.rows].slice(0, maxRows), waiting: [] }
}

/** The rows that contain the text in their type or object id. */
export function matching(rows: readonly TailRow[], text: string): readonly TailRow[] {
  const lowerText = text.trim().toLowerCase()
  if (lowerText === '') return rows
  return rows.filter(
    ({ type, objectId }) => type.includes(lowerText) || objectId?.toLowerCase().includes(lowerText),
  )
}

function rowOf(event: Event): TailRow {
  return { id: event.id, type: event.type, objectId: objectIdOf(event), at: event.created_at, event }
}

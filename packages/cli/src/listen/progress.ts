/**
 * The progress of a listener. Events are finished in any order, but the stream resumes from one cursor. So the cursor
 * only moves past events that are all finished, and finished events beyond it are kept by id. Together they determine
 * which events are still to be sent after a restart. No side effects.
 */

/** Where the stream resumes. */
export type StreamPosition =
  | { readonly cursor: string }
  | { readonly since: string }
  | { readonly starting_after: string }

/** `ahead` contains the ids of finished events after `place`. The members are saved in a file. */
export type SavedProgress = { readonly place: StreamPosition; readonly ahead: readonly string[] }

export type Progress = {
  /** False if the event was finished in an earlier run. */
  begin(id: string, cursor: string): boolean
  /** Marks an event as delivered or given up. */
  finish(id: string): void
  /** The number of events that were started, counted from the first unfinished one. */
  readonly open: number
  readonly saved: SavedProgress
}

export function createProgress(saved: SavedProgress): Progress {
  let place = saved.place
  const ahead = new Set(saved.ahead)
  const open = new Map<string, string>()

  const advanceCursor = () => {
    for (const [id, cursor] of open) {
      if (!ahead.delete(id)) return
      open.delete(id)
      place = { cursor }
    }
  }
  return {
    begin(id, cursor) {
      const isNew = !ahead.has(id)
      open.set(id, cursor)
      if (!isNew) advanceCursor()
      return isNew
    },
    finish(id) {
      ahead.add(id)
      advanceCursor()
    },
    get open() {
      return open.size
    },
    get saved() {
      return { place, ahead: [...ahead] }
    },
  }
}

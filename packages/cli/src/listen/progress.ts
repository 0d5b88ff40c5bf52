/**
 * How far a listener has come. Events are answered in any order, and a cursor leads behind one of them, so the
 * cursor moves only over events that are all settled; those that are settled beyond it are kept by their ids.
 * From both together the rest is known exactly, whenever the process ends. Pure.
 */

/** Where a stream goes on. */
export type Place =
  | { readonly cursor: string }
  | { readonly since: string }
  | { readonly starting_after: string }

export type Saved = { readonly place: Place; readonly ahead: readonly string[] }

export type Progress = {
  /** False if it was settled before the process ended the last time. */
  begin(id: string, cursor: string): boolean
  /** It was delivered, or will not be tried any more. */
  settle(id: string): void
  /** How many have begun since the first that is not settled. */
  readonly open: number
  readonly saved: Saved
}

export function createProgress(saved: Saved): Progress {
  let place = saved.place
  const ahead = new Set(saved.ahead)
  const open = new Map<string, string>()

  const moveOn = () => {
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
      if (!isNew) moveOn()
      return isNew
    },
    settle(id) {
      ahead.add(id)
      moveOn()
    },
    get open() {
      return open.size
    },
    get saved() {
      return { place, ahead: [...ahead] }
    },
  }
}

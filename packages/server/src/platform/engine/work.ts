/** The one abstraction over the engine: something that has to happen to an object, now or later. */
import type { Reading } from '../../kernel/clock.ts'
import type { Kind, Ref } from '../../kernel/id.ts'
import type { Db } from '../db/databases.ts'

/** `<object>.<verb>`, as it stands in subjects, logs and metrics. */
export type WorkName = `${string}.${string}`

/** Something outstanding, and since when. */
export type Due<K extends Kind = Kind> = Ref<K> & { readonly dueAt: Date }

export type Work<Deps, K extends Kind = Kind> = {
  readonly name: WorkName
  /** The kind of id it carries. */
  readonly key: K
  /** How many of it one process handles at a time, if not as many as usual. No other work ever waits for those. */
  readonly hands?: number
  /** The truth: what is outstanding, from Postgres, the oldest first. */
  due(db: Db, now: Reading, limit: number): Promise<readonly Due<K>[]>
  /** Whether its objects may live on a test clock, which then asks `due` for its own and hands them out. */
  readonly onClocks?: boolean
  /** Idempotent, and fenced by the version of the row: it may run late, twice, or beside itself. */
  handle(deps: Deps, ref: Ref<K>): Promise<void>
  /** Many of one workspace in one transaction, where that pays. If it fails, each is handled alone. */
  handleMany?(deps: Deps, refs: readonly Ref<K>[]): Promise<void>
}

/** A hint that a row wants attention at `at`. It may be lost: `due` finds the row anyway. */
export type Hint = { readonly work: WorkName; readonly ref: Ref; readonly at: Date }

/** The interface of the engine: types of background work on an object, done now or at a later time. */
import type { Reading } from '../../kernel/clock.ts'
import type { Kind, Ref } from '../../kernel/id.ts'
import type { Db } from '../db/databases.ts'

/** `<object>.<verb>`, as used in subjects, logs and metrics. */
export type WorkName = `${string}.${string}`

/** A due work item, and the time at which it became due. */
export type Due<K extends Kind = Kind> = Ref<K> & { readonly dueAt: Date }

export type WorkType<Deps, K extends Kind = Kind> = {
  readonly name: WorkName
  /** The kind of object that the work is about. */
  readonly objectKind: K
  /**
   * How many work items one process handles concurrently, if it differs from the default. Other work types do
   * not wait for these.
   */
  readonly concurrency?: number
  /** The source of truth: due work from Postgres, oldest first. */
  due(db: Db, now: Reading, limit: number): Promise<readonly Due<K>[]>
  /**
   * Whether objects of this type can be on a test clock. The test clock then runs `due` and `handle` for
   * them.
   */
  readonly onTestClocks?: boolean
  /**
   * May run late, twice, or concurrently: it must be idempotent and write only if the version of the row is
   * unchanged.
   */
  handle(deps: Deps, ref: Ref<K>): Promise<void>
  /**
   * Handles many work items of one workspace in one transaction, where that is faster. If it fails, each item
   * is handled alone.
   */
  handleMany?(deps: Deps, refs: readonly Ref<K>[]): Promise<void>
}

/** A hint that a row is due at `at`. It may be lost: `due` finds the row anyway. */
export type Hint = { readonly work: WorkName; readonly ref: Ref; readonly at: Date }

/** Finds and runs the work that is due next on a test clock. */
import type { Deps, WorkType } from '../../../../deps.ts'
import { testClock } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import type { Db } from '../../../../platform/db/databases.ts'
import { withRetries } from '../../../../platform/db/retries.ts'
import type { Due } from '../../../../platform/engine/work.ts'
import type { TestClock } from '../test-clock.ts'

/** The maximum number of due objects read per kind of work. Objects beyond it are found by the next query. */
const maxDuePerQuery = 100

/** Due objects of one kind of work, handled together if it has `handleMany`. */
export type WorkBatch = { readonly work: WorkType; readonly refs: readonly Ref[] }

type DueWork = { readonly work: WorkType; readonly due: readonly Due[] }

/**
 * Everything that is due at the earliest due time, in the order in which the kinds of work are registered.
 * All queries run concurrently, so that the statements are sent together.
 */
export async function findEarliestDue(
  deps: Deps,
  ref: Ref<'test_clock'>,
  { id, targetAt, nowAt }: TestClock,
): Promise<{ readonly at: Date; readonly batches: readonly WorkBatch[] } | null> {
  const reading = testClock(id, targetAt ?? nowAt, deps.clock).read()
  const workTypes = deps.workTypes().filter(({ onTestClocks }) => onTestClocks === true)
  const queryDue = async (db: Db, work: WorkType): Promise<DueWork> => ({
    work,
    due: await work.due(db, reading, maxDuePerQuery),
  })
  const dueWorks = await withRetries({ isRepeatable: true }, () =>
    deps.databases
      .of(ref.workspaceId)
      .as('switchyard_due', (db) => Promise.all(workTypes.map((work) => queryDue(db, work)))),
  )
  const times = dueWorks.flatMap(({ due }) => due.map(({ dueAt }) => dueAt.getTime()))
  if (times.length === 0) return null
  const firstMs = Math.min(...times)
  return { at: new Date(firstMs), batches: dueWorks.flatMap((dueWork) => batchesOf(dueWork, firstMs)) }
}

/** Orders objects by id, which is the order of creation. */
function batchesOf({ work, due }: DueWork, atMs: number): WorkBatch[] {
  const refs = due.filter(({ dueAt }) => dueAt.getTime() === atMs).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  if (refs.length === 0) return []
  return work.handleMany === undefined ? refs.map((ref) => ({ work, refs: [ref] })) : [{ work, refs }]
}

/** If `handleMany` fails, each object is handled separately. */
export async function runBatch(deps: Deps, { work, refs }: WorkBatch): Promise<void> {
  const oneByOne = async () => {
    for (const ref of refs) await work.handle(deps, ref)
  }
  if (refs.length === 1 || work.handleMany === undefined) return oneByOne()
  return work.handleMany(deps, refs).then(undefined, oneByOne)
}

/** What happens next on a clock. */
import type { Deps, Work } from '../../../deps.ts'
import { testClock } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import type { Db } from '../../../platform/db/databases.ts'
import { withRetries } from '../../../platform/db/retries.ts'
import type { Due } from '../../../platform/engine/work.ts'
import type { TestClock } from '../test-clock.ts'

/** So many of one work are looked at together. What is due at the same instant beyond that comes after them. */
const portion = 100

/** Objects of one work, handled together if the work knows how to. */
export type Piece = { readonly work: Work; readonly refs: readonly Ref[] }

type Found = { readonly work: Work; readonly due: readonly Due[] }

/**
 * All that is due at the first instant at which anything is, in the order of the works. All works are asked at
 * once: the statements leave in one piece.
 */
export async function earliest(
  deps: Deps,
  ref: Ref<'test_clock'>,
  { id, targetAt, nowAt }: TestClock,
): Promise<{ readonly at: Date; readonly pieces: readonly Piece[] } | null> {
  const reading = testClock(id, targetAt ?? nowAt, deps.clock).read()
  const works = deps.works().filter(({ onClocks }) => onClocks === true)
  const look = async (db: Db, work: Work): Promise<Found> => ({
    work,
    due: await work.due(db, reading, portion),
  })
  const found = await withRetries(null, () =>
    deps.databases
      .of(ref.workspaceId)
      .as('switchyard_due', (db) => Promise.all(works.map((work) => look(db, work)))),
  )
  const times = found.flatMap(({ due }) => due.map(({ dueAt }) => dueAt.getTime()))
  if (times.length === 0) return null
  const first = Math.min(...times)
  return { at: new Date(first), pieces: found.flatMap((one) => piecesOf(one, first)) }
}

/** In the order of their ids, which is that of their making. */
function piecesOf({ work, due }: Found, atMs: number): Piece[] {
  const refs = due.filter(({ dueAt }) => dueAt.getTime() === atMs).toSorted((a, b) => (a.id < b.id ? -1 : 1))
  if (refs.length === 0) return []
  return work.handleMany === undefined ? refs.map((one) => ({ work, refs: [one] })) : [{ work, refs }]
}

/** If many fail together, each is tried alone. */
export async function handle(deps: Deps, { work, refs }: Piece): Promise<void> {
  const alone = async () => {
    for (const ref of refs) await work.handle(deps, ref)
  }
  if (refs.length === 1 || work.handleMany === undefined) return alone()
  return work.handleMany(deps, refs).then(undefined, alone)
}

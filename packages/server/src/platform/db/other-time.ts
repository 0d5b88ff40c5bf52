/**
 * Objects that live on a test clock. Nobody has to know beforehand whose time it is, so nobody who lives in the world
 * pays for asking.
 */
import type { Caller } from '../../kernel/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/id.ts'

/** A unit of real time has met an object that lives on a test clock. It runs again, in the time of that clock. */
export class OtherTime extends Error {
  override name = 'OtherTime'
  readonly testClockId: Id<'test_clock'>

  constructor(testClockId: Id<'test_clock'>) {
    super('This object lives on a test clock.')
    this.testClockId = testClockId
  }
}

type Timed = {
  readonly clock: Clock
  readonly timeOf?: (caller: Caller, id: Id<'test_clock'>) => Promise<Clock>
}

export async function inItsTime<Deps extends Timed, T>(
  deps: Deps,
  caller: Caller,
  run: (timed: Deps) => Promise<T>,
): Promise<T> {
  try {
    return await run(deps)
  } catch (error) {
    if (!(error instanceof OtherTime) || deps.timeOf === undefined) throw error
    return await run({ ...deps, clock: await deps.timeOf(caller, error.testClockId) })
  }
}

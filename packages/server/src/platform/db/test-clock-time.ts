/**
 * Objects on a test clock. A unit of work starts in real time and switches only if it finds such an object,
 * so objects in real time need no lookup.
 */
import type { Caller } from '../../kernel/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Id } from '../../kernel/id.ts'

/**
 * Thrown when a unit of work in real time finds an object on a test clock. The unit runs again in the time of
 * that clock.
 */
export class OnTestClock extends Error {
  override name = 'OnTestClock'
  readonly testClockId: Id<'test_clock'>

  constructor(testClockId: Id<'test_clock'>) {
    super('This object belongs to a test clock.')
    this.testClockId = testClockId
  }
}

type ClockDeps = {
  readonly clock: Clock
  readonly timeOf?: (caller: Caller, id: Id<'test_clock'>) => Promise<Clock>
}

export async function withTestClock<Deps extends ClockDeps, T>(
  deps: Deps,
  caller: Caller,
  run: (depsAtTime: Deps) => Promise<T>,
): Promise<T> {
  try {
    return await run(deps)
  } catch (error) {
    if (!(error instanceof OnTestClock) || deps.timeOf === undefined) throw error
    return await run({ ...deps, clock: await deps.timeOf(caller, error.testClockId) })
  }
}

/** What is done by hand to an invoice of a test clock happens in the time of that clock. */
import type { Deps } from '../../../deps.ts'
import { type Caller, systemCaller } from '../../../kernel/caller.ts'
import { read, transact } from '../../../platform/db/unit-of-work.ts'
import { clockOf, touchClock } from '../../test-clocks/service.ts'
import * as store from '../store/invoices.ts'

/**
 * The payment that is begun is over when this is: otherwise the clock could move on while it is under way, and
 * nobody could tell when it was made. Production has no clocks, and asks for none.
 */
export async function actInTime<T>(
  deps: Deps,
  caller: Caller,
  id: string,
  act: (deps: Deps) => Promise<T>,
): Promise<T> {
  if (caller.mode === 'live') return act(deps)
  const { testClockId, id: invoiceId } = await read(deps, caller, (view) => store.findInvoice(view, id))
  if (testClockId === null) return act(deps)
  const timed = await clockOf(deps, caller, testClockId)
  const begun: Promise<unknown>[] = []
  const later = (work: Promise<unknown>) => {
    begun.push(work)
    deps.later(work)
  }
  const result = await act({ ...timed, later })
  await Promise.allSettled(begun)
  await transact(timed, systemCaller({ workspaceId: caller.workspaceId, id: invoiceId }), touchClock)
  return result
}

/** Runs manual actions on invoices of a test clock at the time of that clock. */
import type { Deps } from '../../../../deps.ts'
import { type Caller, systemCaller } from '../../../../kernel/caller.ts'
import { read, transact } from '../../../../platform/db/unit-of-work.ts'
import { wakeTestClock, withTestClock } from '../../test-clocks/service.ts'
import * as store from '../store/invoices.ts'

/**
 * Waits for the payment that the action starts. Otherwise the clock could advance while the payment is in
 * progress, and the time of its result would be undefined. Live mode has no test clocks.
 */
export async function runOnTestClock<T>(
  deps: Deps,
  caller: Caller,
  id: string,
  action: (deps: Deps) => Promise<T>,
): Promise<T> {
  if (caller.mode === 'live') return action(deps)
  const { testClockId, id: invoiceId } = await read(deps, caller, (view) => store.findInvoice(view, id))
  if (testClockId === null) return action(deps)
  const clockDeps = await withTestClock(deps, caller, testClockId)
  const startedWork: Promise<unknown>[] = []
  const runInBackground = (work: Promise<unknown>) => {
    startedWork.push(work)
    deps.runInBackground(work)
  }
  const result = await action({ ...clockDeps, runInBackground })
  await Promise.allSettled(startedWork)
  await transact(clockDeps, systemCaller({ workspaceId: caller.workspaceId, id: invoiceId }), wakeTestClock)
  return result
}

/** Goes on where nobody waits for it: what a provider said by itself may lead to the next account. */
import type { Deps } from '../../../deps.ts'
import { systemCaller } from '../../../kernel/caller.ts'
import { monotonicMs } from '../../../kernel/clock.ts'
import type { Ref } from '../../../kernel/id.ts'
import { transact } from '../../../platform/db/unit-of-work.ts'
import type { Operation } from '../payment.ts'
import { perform } from './perform.ts'
import { type Progress, record } from './record.ts'

/** Each turn is one operation, and a payment has few of them. If this process dies, the resolver goes on. */
export async function follow(
  deps: Deps,
  ref: Ref<'payment'>,
  { next }: Pick<Progress, 'next'>,
  startedMs: number,
): Promise<void> {
  const caller = systemCaller(ref)
  let sending = next
  let sinceMs = startedMs
  while (sending !== null) {
    const operation: Operation = sending
    const seen = await perform(deps, caller, operation, sinceMs)
    sinceMs = monotonicMs()
    const reached = await transact(deps, caller, (tx) => record(deps, tx, ref.id, operation.id, seen))
    sending = reached.next
  }
}

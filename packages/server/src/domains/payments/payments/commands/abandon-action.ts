/**
 * Ends the action that a payment waits for, when the payer leaves the page of the provider to pay with
 * another method.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import type { Id } from '../../../../kernel/id.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import { withTimeout } from '../../../../platform/engine/cancellable-sleep.ts'
import { expireAction } from '../operations/expire-action.ts'
import { resolvePayment } from '../operations/resolve-unknown.ts'
import { lockPayment } from '../store/payments.ts'

/**
 * Closes the payment at the provider, so that the page of the provider can no longer charge the payer. The payment
 * fails once the provider has confirmed that. It succeeds if the payer has already paid, and otherwise still waits
 * for the payer.
 */
export async function abandonAction(deps: Deps, caller: Caller, id: Id<'payment'>): Promise<void> {
  const isClosing = await transact(deps, caller, async (tx) => {
    const payment = await lockPayment(tx, id)
    if (payment.status !== 'requires_action') return false
    await expireAction(tx, payment)
    return true
  })
  if (!isClosing) return
  const closing = resolvePayment(deps, { workspaceId: caller.workspaceId, id })
  deps.runInBackground(closing)
  await withTimeout(deps.limits.requestMs, closing, undefined)
}

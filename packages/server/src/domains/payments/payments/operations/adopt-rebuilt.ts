/**
 * Returns the payment that was rebuilt from the records of the provider as the response to a repeated request: the
 * database had lost the first payment, and the provider must not charge again.
 */
import { refuse } from '../../../../kernel/errors.ts'
import { idFromUuid } from '../../../../kernel/id.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import type { Intent } from '../payment.ts'
import { listOperations } from '../store/operations.ts'
import { lockPayment } from '../store/payments.ts'
import { forgetRebuilt } from '../store/references.ts'
import { closeConflicts } from './conflicts.ts'
import { currentProgress, type Progress } from './progress.ts'
import { updateAndEmit } from './update-and-emit.ts'

/**
 * The reference contains a hash of the request, so this is a repeat of the same request. `requested` is rejected if
 * its card token has expired in the meantime: the payment is then returned without the members of the request.
 */
export async function adoptRebuilt(
  tx: Tx,
  rebuiltAs: string,
  requested: PromiseSettledResult<{ readonly intent: Intent }>,
): Promise<Progress> {
  const before = await lockPayment(tx, idFromUuid('payment', tx.caller.mode, rebuiltAs))
  if (requested.status === 'fulfilled') requirePlainPayment(requested.value.intent, before.id)
  await forgetRebuilt(tx, rebuiltAs)
  const [operation] = await listOperations(tx, before.id)
  const payment = operation === undefined ? before : await closeConflicts(tx, before, operation)
  if (requested.status === 'rejected') return currentProgress(tx, payment)
  const { customerId, description, metadata } = requested.value.intent
  const changes = { customerId, description, metadata }
  return currentProgress(tx, updateAndEmit(tx, payment, changes, events.paymentUpdated))
}

/** An invoice or a checkout session needs a payment of its own. The rebuilt one is refunded first. */
function requirePlainPayment({ invoiceId, checkoutSessionId, purpose }: Intent, rebuilt: string): void {
  if (invoiceId === null && checkoutSessionId === null && purpose === 'payment') return
  refuse('invalid_state', {
    detail: `This request was executed before the database was restored. Refund ${rebuilt}, and send the request with a new idempotency key.`,
    current_status: 'succeeded',
    allowed_actions: [],
  })
}

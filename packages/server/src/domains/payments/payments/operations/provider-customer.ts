/**
 * Creates the customer at the provider to which a saved card belongs. Each card gets a customer of its own: the customer
 * of a checkout exists only after the payment, and a customer that was deleted at the provider cannot block later cards.
 */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import { transactAfterCall } from '../../../../platform/db/resumable.ts'
import type { OperationInput } from '../../../../providers/contract.ts'
import type { NotSent } from '../../../../providers/evidence.ts'
import type { Task } from '../../../../providers/perform.ts'
import type { Operation } from '../payment.ts'
import { storeProviderCustomer } from '../store/operations.ts'

/** The customer is stored before the operation is sent, so that a repeat of the operation is identical. */
export async function withProviderCustomer(
  deps: Deps,
  caller: Caller,
  operation: Operation,
  task: Omit<Task<'createCustomer'>, 'step'>,
): Promise<{ readonly input: OperationInput; readonly obstacle?: NotSent }> {
  const { provider, input } = task
  if (operation.providerCustomer !== null || provider.customers?.isNeeded(input) !== true) return { input }
  const created = await deps.performer.createCustomer({ ...task, step: 'createCustomer' })
  if (created.is === 'not_sent') return { input, obstacle: created }
  crashpoint('payment.customer_created')
  const providerCustomer = await transactAfterCall(deps, caller, (tx) =>
    storeProviderCustomer(tx, operation, created.id),
  )
  return { input: { ...input, providerCustomer } }
}

/**
 * The payer's return from the provider page. The operation is leased, and its return parameters are sent to the
 * provider. A return that is throttled is stored, and the resolver continues with it after the pause.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { addSeconds } from '../../../../kernel/clock.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import { crashpoint } from '../../../../platform/crashpoint.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import { isOpen, type Operation, type Payment, type ReturnParams } from '../payment.ts'
import { isActionExpired, leaseSeconds, mayCompleteAt } from '../rules/expiry.ts'
import * as operations from '../store/operations.ts'
import { expireAction } from './expire-action.ts'
import { continueInBackground } from './run.ts'
import { completeAuthentication } from './send.ts'
import { updateAndEmit } from './update-and-emit.ts'

export type AcceptedReturn = {
  readonly payment: Payment
  /** The leased operation; null if the provider is not called now. */
  readonly operation: Operation | null
}

/** Expects the payment to be locked. */
export async function acceptReturn(tx: Tx, payment: Payment, params: ReturnParams): Promise<AcceptedReturn> {
  if (payment.status !== 'requires_action') return { payment, operation: null }
  // The worker that expires the action may be late. The payer must not complete the payment in the meantime.
  if (isActionExpired(payment, tx.now)) return { payment: await expireAction(tx, payment), operation: null }
  const challenged = (await operations.listOperations(tx, payment.id)).find(
    (operation) => isOpen(operation) && operation.challenged,
  )
  if (challenged === undefined) return { payment, operation: null }
  const completeAt = mayCompleteAt(challenged)
  if (completeAt === null || completeAt <= tx.now) return leaseReturn(tx, payment, challenged, params)
  // Reloading the page writes nothing.
  if (!isDeepStrictEqual(challenged.returnParams, params))
    operations.updateOperation(tx, challenged, { returnParams: params, dueAt: completeAt })
  return { payment, operation: null }
}

/**
 * Leases the operation for the call to the provider. If this process crashes, the resolver continues with the stored
 * parameters when the lease has expired.
 */
export async function leaseReturn(
  tx: Tx,
  before: Payment,
  challenged: Operation,
  params: ReturnParams,
): Promise<AcceptedReturn> {
  const { to } = nextTransition(paymentMachine, {
    state: before.status,
    trigger: 'payer_returned',
    facts: factsOf(before),
  })
  const leaseUntil = addSeconds(tx.now, leaseSeconds)
  const operation = operations.updateOperation(tx, challenged, {
    status: 'sending',
    leaseUntil,
    dueAt: leaseUntil,
    returns: challenged.returns + 1,
    returnedAt: tx.now,
    returnParams: params,
  })
  const changes = { status: to, nextAction: null, dueAt: null }
  return { payment: updateAndEmit(tx, before, changes, events.paymentUpdated), operation }
}

export function completeReturn(
  deps: Deps,
  ref: Ref<'payment'>,
  operation: Operation,
  params: ReturnParams,
): Promise<void> {
  const observe = async () => {
    crashpoint('payer.returned')
    const observation = await completeAuthentication(deps, systemCaller(ref), operation, params)
    crashpoint('payer.answered')
    return observation
  }
  return continueInBackground(deps, ref, operation, { observe })
}

/** By default, Adyen releases the uncaptured amount of an authorisation after the first capture. */
import { sumsOf } from '../../ledger.ts'
import { problemOf } from '../../money.ts'
import { type AccountContext, finishOperation } from '../../run-operation.ts'
import type { Account, Operation } from '../../simulator-state.ts'
import type { Payment } from './details.ts'

export function releaseRest(context: AccountContext, payment: Payment): void {
  const { account } = context
  const reference = `${payment.reference}#rest`
  if (payment.request.capture || account.operations.has(reference)) return
  if (capturedAmount(account, payment) === 0) return
  const request = {
    ...payment.request,
    reference,
    kind: 'void',
    parent_reference: payment.reference,
  } as const
  const operation: Operation = { ...payment, reference, request, record: null, fingerprint: null }
  if (problemOf(account, operation) === null) finishOperation(context, operation, { type: 'approve' })
}

/** Releases the uncaptured amount now, or when the outcome of a pending capture is due. */
export function scheduleRelease(context: AccountContext, payment: Payment, reference: string): void {
  const { state, account } = context
  const decision = account.operations.get(reference)?.decision ?? null
  if (decision === null) releaseRest(context, payment)
  else state.clock.schedule(decision.at, () => releaseRest(context, payment))
}

export function capturedAmount(account: Account, { reference, request }: Payment): number {
  const facts = account.ledger.factsOfPayment(request.payment_id)
  const own = facts.filter((fact) => fact.reference === reference || fact.parent_reference === reference)
  return sumsOf(own).captured
}

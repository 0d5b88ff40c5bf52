/** Captures all or part of an authorized amount. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { refuseMember } from '../../../../kernel/errors.ts'
import { nextTransition } from '../../../../kernel/machine.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { findAccount } from '../../../routing/provider-accounts/service.ts'
import * as events from '../events.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import { addOperation } from '../operations/add-operation.ts'
import type { Progress } from '../operations/progress.ts'
import { takeRebuilt } from '../operations/references.ts'
import { runInRequest } from '../operations/run.ts'
import { updateAndEmit } from '../operations/update-and-emit.ts'
import type { Payment } from '../payment.ts'
import { lockPayment } from '../store/payments.ts'

export function capturePayment(
  deps: Deps,
  caller: Caller,
  id: string,
  input: { readonly amount?: number | undefined; readonly final?: boolean | undefined },
): Promise<Progress> {
  return runInRequest(deps, caller, 'payment', async (tx) => {
    const [before, rebuilt] = await Promise.all([lockPayment(tx, id), takeRebuilt(tx)])
    // The payment was captured before the database was restored.
    if (rebuilt !== null) return { id: before.id, payment: before, next: null }
    nextTransition(paymentMachine, { state: before.status, trigger: 'capture', facts: factsOf(before) })
    const amount = input.amount === undefined ? before.amountCapturable : BigInt(input.amount)
    if (amount > before.amountCapturable)
      refuseMember(
        '/amount',
        'too_large',
        `must be ${before.amountCapturable} or less, the amount that can be captured`,
      )
    const final = input.final ?? true
    if (!final && amount < before.amountCapturable) await requireMultiCapture(tx, before)
    const after = updateAndEmit(tx, before, { status: 'processing' }, events.paymentUpdated)
    const next = await addOperation(tx, after, { kind: 'capture', amount, final })
    return { id: after.id, payment: after, next }
  })
}

/** Without support for several captures, the provider releases the rest of the authorization with the first one. */
async function requireMultiCapture(tx: Tx, { providerAccountId }: Payment): Promise<void> {
  const account = providerAccountId === null ? null : await findAccount(tx, providerAccountId)
  if (account?.capabilities.multiCapture === false)
    refuseMember(
      '/final',
      'not_in_list',
      'must be true: this provider account releases the amount that the first capture does not include',
    )
}

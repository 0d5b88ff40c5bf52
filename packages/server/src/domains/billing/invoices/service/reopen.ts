/** Opens an invoice again after the bank has returned the debit that paid it. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import type { Ref } from '../../../../kernel/id.ts'
import { transact } from '../../../../platform/db/unit-of-work.ts'
import { acknowledgeReversal, lockPayment } from '../../../payments/payments/commands/pay-invoice.ts'
import * as store from '../store/invoices.ts'
import { failureOf } from './failure.ts'
import { mailCustomers } from './mails.ts'
import { findNextReminder } from './remind.ts'
import { transition } from './transition.ts'

/** Worker: the payment of a paid invoice was returned. The ledger already shows the amount as owed. */
export async function reopenInvoice(deps: Deps, ref: Ref<'invoice'>): Promise<void> {
  await transact(deps, systemCaller(ref), async (tx) => {
    const before = await store.lockInvoice(tx, ref.id)
    // A message may be late or a duplicate. The rows show whether there is anything to do.
    if (before.status !== 'paid' || before.paymentId === null) return
    // Lock order: the invoice before its payment.
    const payment = await lockPayment(tx, before.paymentId)
    if (payment.amountReversed === 0n || payment.dueAt === null) return
    const after = await transition(tx, before, 'reverse', {
      amountPaid: before.amountPaid - payment.amountReversed,
      paymentId: null,
      paidAt: null,
      lastFailure: failureOf(tx, payment),
      nextAttemptAt: await findNextReminder(tx, before),
      overdueSinceAt: tx.now,
      subscriptionDueAt: tx.now,
    })
    await acknowledgeReversal(tx, payment)
    await mailCustomers(tx, 'payment_failed', [after])
  })
}

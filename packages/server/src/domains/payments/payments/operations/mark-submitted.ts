/** Records that a provider has submitted a debit to the bank. The payment stays processing until the bank confirms it. */
import { nextTransition } from '../../../../kernel/machine.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { findAccount } from '../../../routing/provider-accounts/service.ts'
import { mailMandate } from '../../payment-methods/service/mandate-mail.ts'
import * as events from '../events.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import type { Operation, Payment } from '../payment.ts'
import { latestConfirmation } from '../rules/settlement.ts'
import { updateAndEmit } from './update-and-emit.ts'

/** `settlesAt` is null if the provider does not report when it expects the result. */
export async function markSubmitted(
  tx: Tx,
  before: Payment,
  operation: Operation,
  settlesAt: Date | null,
): Promise<Payment> {
  nextTransition(paymentMachine, { state: before.status, trigger: 'submitted', facts: factsOf(before) })
  // The provider reports real time, which differs from the time of a test clock.
  const reportedAt = before.testClockId === null ? settlesAt : null
  const expectedAt = reportedAt ?? (await expectedConfirmation(tx, before, operation))
  const settlement = { status: 'pending', expectedAt, settledAt: null } as const
  await mailUnsavedMandate(tx, before)
  return updateAndEmit(tx, before, { settlement }, events.paymentUpdated)
}

/**
 * E-mails the mandate of a bank account that is not saved. In a checkout session the payer receives it when
 * the session is completed; for a saved account, when the account is attached.
 */
async function mailUnsavedMandate(tx: Tx, payment: Payment): Promise<void> {
  const { id: paymentId, debit, customerId, checkoutSessionId, paymentMethodId } = payment
  if (debit === null || customerId === null || checkoutSessionId !== null || paymentMethodId !== null) return
  const to = { customerId, recipient: null, locale: null }
  await mailMandate(tx, { paymentId, debit, charge: payment }, to)
}

/** The latest time at which the bank confirms the debit, according to the provider's terms. */
async function expectedConfirmation(
  tx: Tx,
  { methodType, paymentMethodId, debit }: Payment,
  { providerAccountId }: Operation,
): Promise<Date> {
  const account = await findAccount(tx, providerAccountId)
  // The mandate of an account that is not saved is registered now.
  const registeredAt =
    paymentMethodId === null || debit === null ? tx.now : new Date(debit.mandate.accepted_at)
  return latestConfirmation(tx.now, registeredAt, account?.capabilities.methods[methodType] ?? immediate)
}

const immediate = { confirmDays: 0 }

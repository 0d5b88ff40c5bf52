/** Records that a provider has submitted a debit to the bank. The payment stays processing until the bank confirms it. */
import { nextTransition } from '../../../../kernel/machine.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import { findAccount } from '../../../routing/provider-accounts/service.ts'
import * as events from '../events.ts'
import { factsOf, paymentMachine } from '../machine.ts'
import type { Operation, Payment } from '../payment.ts'
import { addBusinessDays } from '../rules/settlement.ts'
import { updateAndEmit } from './update-and-emit.ts'

/** `settlesAt` is null if the provider does not report when it expects the result. */
export async function markSubmitted(
  tx: Tx,
  before: Payment,
  operation: Operation,
  settlesAt: Date | null,
): Promise<Payment> {
  nextTransition(paymentMachine, { state: before.status, trigger: 'submitted', facts: factsOf(before) })
  // The provider does not know the time of a test clock.
  const reportedAt = before.testClockId === null ? settlesAt : null
  const expectedAt = reportedAt ?? (await latestConfirmation(tx, before, operation))
  const settlement = { status: 'pending', expectedAt, settledAt: null } as const
  return updateAndEmit(tx, before, { settlement }, events.paymentUpdated)
}

/** When the bank confirms the debit at the latest, by the terms of the provider. */
async function latestConfirmation(
  tx: Tx,
  { methodType }: Payment,
  { providerAccountId }: Operation,
): Promise<Date> {
  const account = await findAccount(tx, providerAccountId)
  return addBusinessDays(tx.now, account?.capabilities.methods[methodType]?.confirmDays ?? 0)
}

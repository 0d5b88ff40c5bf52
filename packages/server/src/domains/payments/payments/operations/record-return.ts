/** Records that the bank of the payer has returned a debit, which it had confirmed before. */
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { DebitReturn } from '../../../../providers/contract.ts'
import { postAct } from '../../../finance/ledger/service/post.ts'
import * as events from '../events.ts'
import { type Operation, type Payment, refundableAmount } from '../payment.ts'
import { flagConflict } from './conflicts.ts'
import { updateAndEmit } from './update-and-emit.ts'

type ReturnedOperation = { readonly payment: Payment; readonly operation: Operation }

/**
 * Records a return of the payment, which the caller has locked. A debit is returned once: repeated reports
 * change nothing. Records a conflict if the payment is not a debit, or if the amount exceeds the part that is
 * neither refunded nor returned yet: the payer then received some of it twice.
 */
export async function recordReturn(
  tx: Tx,
  { payment, operation }: ReturnedOperation,
  returned: DebitReturn,
): Promise<void> {
  const { amount, currency } = returned.money
  if (payment.reversal?.provider_reference === returned.providerReference) return
  const isExcessive = amount > refundableAmount(payment) || payment.amountReversed > 0n
  if (payment.settlement === null || currency !== payment.currency || isExcessive)
    return recordConflict(tx, { payment, operation }, returned)
  const { id: paymentId, invoiceId, amountUnapplied } = payment
  const { providerAccountId } = operation
  const ofReturn = { paymentId, providerAccountId, currency: payment.currency, amount }
  const isUnapplied = amountUnapplied >= amount
  // The amount of a payment for an invoice was applied to the invoice, unless it is still unapplied.
  if (invoiceId !== null && !isUnapplied)
    postAct(tx, { act: 'applied_payment_reversed', invoiceId, ...ofReturn })
  else postAct(tx, { act: 'payment_reversed', from: isUnapplied ? 'unapplied' : 'bad_debt', ...ofReturn })
  const changes = {
    amountReversed: amount,
    reversal: {
      reason_code: returned.reasonCode,
      provider_reference: returned.providerReference,
      at: tx.now.toISOString(),
    },
    ...(isUnapplied ? { amountUnapplied: amountUnapplied - amount } : {}),
    dueAt: invoiceId !== null && !isUnapplied ? tx.now : null,
  }
  updateAndEmit(tx, payment, changes, events.paymentReversed)
}

async function recordConflict(
  tx: Tx,
  { payment, operation }: ReturnedOperation,
  { money, providerReference }: DebitReturn,
): Promise<void> {
  const report = `The provider reports the return of ${money.amount} ${money.currency} as ${providerReference}`
  const detail = `${report}, ${contradictionOf(payment, money.currency)}.`
  await flagConflict(tx, { payment, operation }, { kind: 'debit_return', detail })
}

function contradictionOf({ settlement, currency }: Payment, reported: string): string {
  if (settlement === null) return 'but the payment is not a debit'
  if (reported !== currency) return `but the payment is in ${currency}`
  return 'which exceeds the captured amount that is neither refunded nor returned yet'
}

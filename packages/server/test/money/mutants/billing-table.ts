// Mutants of billing: each row removes one guard. See `table.ts`.

import type { BillingMutant, Patch } from './table.ts'

/** A pause or cancellation reads invoices without locking them first. */
const noLock: readonly Patch[] = [
  {
    file: 'domains/billing/subscriptions/service/apply-invoice-results.ts',
    from: '  return applyLockedResults(tx, subscription, await lockInvoices(tx, [subscription]))\n',
    to: `  const named = await listPendingResultIds(tx, subscription.id)
  return applyLockedResults(tx, subscription, named.length === 0 ? [] : await lockInvoicesOf(tx, [], named))
`,
  },
]

/** An invoice with a payment in progress is not withdrawn, so it may still be paid. */
const skipWithdrawal = (condition: string): Patch => ({
  file: 'domains/billing/invoices/service.ts',
  from: '  if (before.withdrawnAt !== null) return before\n',
  to: `  if (${condition}) return before\n`,
})

const dropUnpaidPeriodTrigger = 'drop trigger subscriptions_withdraw_unpaid_periods on subscriptions'

export const billingMutants: readonly BillingMutant[] = [
  {
    name: 'kept payments of invoices',
    removes: 'the rule that a cancelled payment does not pay an invoice, and its trigger',
    statements: ['drop trigger invoices_are_paid_by_kept_payments on invoices'],
    patches: [
      {
        file: 'domains/billing/invoices/service/apply-payment-result.ts',
        from: '  if (!countsAsPaid(payment)) {\n',
        to: "  if (payment.status !== 'succeeded') {\n",
      },
    ],
  },
  {
    name: 'kept payments of sessions',
    removes: 'the rule that a cancelled payment does not complete a session, and its trigger',
    statements: ['drop trigger checkout_sessions_are_completed_by_their_payments on checkout_sessions'],
    patches: [
      {
        file: 'domains/payments/checkout-sessions/service/apply-payment-result.ts',
        from: '  const isApproved = countsAsApproved(payment)\n',
        to: "  const isApproved = payment.status === 'succeeded' || payment.status === 'requires_capture'\n",
      },
    ],
  },
  {
    name: 'invoices are locked first',
    removes:
      'the lock of invoices before a pause reads them, the withdrawal of an invoice whose payment is in progress, and the trigger for unpaid periods',
    statements: [dropUnpaidPeriodTrigger],
    patches: [...noLock, skipWithdrawal("before.withdrawnAt !== null || reason === 'pause'")],
  },
  {
    name: 'withdrawn invoices',
    removes:
      'the withdrawal of an invoice whose subscription is cancelled while its payment is in progress, and the trigger for unpaid periods',
    statements: [dropUnpaidPeriodTrigger],
    patches: [skipWithdrawal('before.pendingPaymentId !== null')],
  },
  {
    name: 'failed charge of a pause',
    removes: 'the rule that the start invoice of a paused subscription is voided when its charge fails',
    statements: [dropUnpaidPeriodTrigger],
    patches: [
      {
        file: 'domains/billing/subscriptions/plan/start.ts',
        from: "  if (status === 'paused' && activation.purpose === 'start') return planWithdrawal(snapshot, context)\n",
        to: '',
      },
    ],
  },
  {
    name: 'charge of a withdrawn invoice',
    removes: 'the cancellation and the refund of the payment of a withdrawn invoice',
    patches: [
      {
        file: 'domains/billing/invoices/service.ts',
        from: '  await requestCancellation(tx, before.pendingPaymentId)\n',
        to: '',
      },
      {
        file: 'domains/billing/invoices/service/apply-payment-result.ts',
        from: '  return refundRemainder(tx, payment.id)\n',
        to: '  return null\n',
      },
    ],
  },
  {
    name: 'credit of a void invoice',
    removes: 'the return of credit when the invoice it was applied to becomes void',
    patches: [
      {
        file: 'domains/billing/invoices/service/transition.ts',
        from: "    if (rows[index]?.effects.includes('return_credit')) await returnCredit(tx, before, creditReturned)\n",
        to: '    if (index < 0) await returnCredit(tx, before, creditReturned)\n',
      },
    ],
  },
  {
    name: 'one payment per invoice at a time',
    removes: 'the rule that an invoice cannot be paid manually while a payment is in progress',
    patches: [
      {
        file: 'domains/billing/invoices/service/collect.ts',
        from: '  requireNoPendingPayment(before)\n',
        to: '',
      },
      {
        file: 'domains/billing/invoices/machine.ts',
        from: 'const noPaymentInProgress = ({ paymentInProgress }: Facts) => !paymentInProgress\n',
        to: 'const noPaymentInProgress = ({ paymentInProgress }: Facts) => paymentInProgress || !paymentInProgress\n',
      },
    ],
  },
  {
    name: 'payment limit of a link',
    removes: 'the release of a reserved payment of a link when the payment is not kept',
    patches: [
      {
        file: 'domains/payments/checkout-sessions/service/apply-payment-result.ts',
        from: '  await (isPaid ? recordCompletion(deps, tx, paymentLinkId) : releaseCompletion(tx, paymentLinkId))\n',
        to: '  await (isPaid ? recordCompletion(deps, tx, paymentLinkId) : Promise.resolve(releaseCompletion))\n',
      },
    ],
  },
  {
    name: 'unused time that is paid later',
    removes: 'the return of unused time when the invoice of the period is paid later',
    patches: [
      {
        file: 'domains/billing/subscriptions/service/apply-invoice-results.ts',
        from: "    invoices.filter(({ status }) => status === 'paid'),\n",
        to: '    [],\n',
      },
    ],
  },
  {
    name: 'credit on top of a refund',
    removes: 'the rule that unused time is returned only up to the amount that was not refunded yet',
    patches: [
      {
        file: 'domains/billing/subscriptions/store/invoice-facts.ts',
        from: '      select payments.amount_refunded + payments.amount_refunding from payments\n',
        to: '      select 0::bigint from payments\n',
      },
      {
        file: 'domains/billing/invoices/invoice.ts',
        from: '  return paid - invoice.amountRefunded - invoice.amountRefunding - invoice.creditedBalance\n',
        to: '  return paid\n',
      },
    ],
  },
  {
    name: 'invoice of a returned debit',
    removes: 'the due time at which the invoice of a returned debit is opened again, and its trigger',
    statements: ['drop trigger returned_debits_reopen_their_invoices on payments'],
    patches: [
      {
        file: 'domains/payments/payments/operations/record-return.ts',
        from: '    dueAt: invoiceId !== null && !isUnapplied ? tx.now : null,\n',
        to: '    dueAt: null,\n',
      },
    ],
  },
  {
    name: 'debit that is returned before it pays its invoice',
    removes: 'the rule that a returned debit does not pay an invoice, and its trigger',
    statements: ['drop trigger invoices_are_paid_by_kept_payments on invoices'],
    patches: [
      {
        file: 'domains/payments/payments/rules/counts-as-paid.ts',
        from: "(status === 'succeeded' && refundableAmount(payment) > 0n)\n",
        to: "(status === 'succeeded' && refundableAmount(payment) + payment.amountReversed > 0n)\n",
      },
    ],
  },
  {
    name: 'deleted customers',
    removes: 'the rule that deleting a customer is rejected while subscriptions exist, or ends them',
    patches: [
      {
        file: 'domains/billing/subscriptions/service/delete-customer.ts',
        from: "    if (subscriptionsOption === 'refuse') await requireUnused(tx, before.id, uncancelled)\n",
        to: '',
      },
      {
        file: 'domains/billing/subscriptions/service/delete-customer.ts',
        from: '    const refunds = await cancelAll(tx, before.id, uncancelled)\n',
        to: '    const refunds: PaymentToSend[] = subscriptionsOption === null ? await cancelAll(tx, before.id, uncancelled) : []\n',
      },
    ],
  },
  {
    name: 'credit notes of void invoices',
    removes: 'the credit note that is issued when an invoice is voided, and its trigger',
    statements: ['drop trigger void_invoices_are_credited on invoices'],
    patches: [
      {
        file: 'domains/billing/invoices/service/end.ts',
        from: '    await reverseVoidInvoice(tx, before, await issueVoidNote(tx, before, creditReturned))\n',
        to: '    await reverseVoidInvoice(tx, before, before.number === null ? await issueVoidNote(tx, before, creditReturned) : null)\n',
      },
    ],
  },
  {
    name: 'amounts that credit notes return',
    removes:
      'the rule that a credit note returns at most what was paid for the invoice and was not returned before',
    patches: [
      {
        file: 'domains/billing/credit-notes/service.ts',
        from: '  if (split.refund + split.balance > left)\n',
        to: '  if (split.refund + split.balance > left + total)\n',
      },
      {
        file: 'domains/billing/credit-notes/service.ts',
        from: '  if (total > kept)\n',
        to: '  if (total > kept + total)\n',
      },
    ],
  },
  {
    name: 'credit of a void invoice with unused time',
    removes:
      'the rule that a void invoice returns only the credit that was not given for its unused time, and its triggers',
    statements: [
      'drop trigger void_invoices_are_credited on invoices',
      'drop trigger void_leaves_nothing_unearned on invoices',
    ],
    patches: [
      {
        file: 'domains/billing/invoices/service/end.ts',
        from: '  return credited < left ? left - credited : 0n\n',
        to: '  return credited < 0n ? 0n : left\n',
      },
    ],
  },
  {
    name: 'usage that is recorded late',
    removes: 'the correction of usage that was recorded late or cancelled after its period was billed',
    patches: [
      {
        file: 'domains/billing/subscriptions/plan/usage.ts',
        from: '    if (usage.quantity === usage.billed.quantity) return null\n',
        to: '    if (usage.quantity >= 0) return null\n',
      },
    ],
  },
  {
    name: 'end of a usage period',
    removes: 'the rule that usage at the end of a period belongs to the next period',
    patches: [
      {
        file: 'domains/billing/meters/store/period-usage.ts',
        from: 'and occurred_at < ',
        to: 'and occurred_at <= ',
      },
    ],
  },
  {
    name: 'periods of a discount of a customer',
    removes: 'the count of the periods that a discount of a customer has reduced',
    patches: [
      {
        file: 'domains/billing/discounts/service.ts',
        from: 'await store.countPeriods(tx, id, used.get(id) ?? 0)',
        to: 'await store.countPeriods(tx, id, 0)',
      },
    ],
  },
  {
    name: 'tax of unused time',
    removes: 'the rule that a line that credits unused time has the tax rate of the line that charged it',
    patches: [
      {
        file: 'domains/billing/subscriptions/plan/tax.ts',
        from: '  return { taxRate: line?.taxRate ?? null, sourceLineId: line?.id ?? null }\n',
        to: '  return { taxRate: null, sourceLineId: line?.id ?? null }\n',
      },
    ],
  },
  {
    name: 'tax of usage',
    removes: 'the tax rates of usage',
    patches: [
      {
        file: 'domains/billing/subscriptions/service/bill-usage.ts',
        from: '  const tax: TaxFacts = { ...noTax, ...loaded }\n',
        to: '  const tax: TaxFacts = loaded === undefined ? { ...noTax } : noTax\n',
      },
    ],
  },
  {
    name: 'posting of the tax of an invoice',
    removes: 'the posting of tax when an invoice is finalized, and its trigger',
    statements: ['drop trigger invoice_tax_is_posted on invoices'],
    patches: [
      {
        file: 'domains/billing/invoices/service/post-transition.ts',
        from: "  if (trigger === 'finalize' && after.taxTotal !== 0n)\n",
        to: "  if (trigger === 'finalize' && after.taxTotal < 0n)\n",
      },
    ],
  },
  {
    name: 'posting of the tax of a void invoice',
    removes: 'the posting of tax when an invoice is voided, and its trigger',
    statements: ['drop trigger invoice_tax_is_posted on invoices'],
    patches: [
      {
        file: 'domains/billing/invoices/service/post-transition.ts',
        from: '      amount: after.taxTotal - after.taxCredited,\n',
        to: '      amount: 0n,\n',
      },
    ],
  },
  {
    name: 'posting of the tax of a credit note',
    removes: 'the posting of the tax that a credit note returns, and its trigger',
    statements: ['drop trigger credit_notes_are_posted on credit_notes'],
    patches: [
      {
        file: 'domains/billing/invoices/service/credit-note.ts',
        from: "  postAct(tx, { act: 'credit_note_tax_returned', ...ofNote, amount: note.tax })\n",
        to: '',
      },
    ],
  },
  {
    name: 'tax of several credit notes',
    removes: 'the rule that the notes of an invoice round their tax together',
    patches: [
      {
        file: 'kernel/credit-note-arithmetic.ts',
        from: 'taxOn(rate, before.amount + line.amount) - before.tax',
        to: 'taxOn(rate, line.amount)',
      },
    ],
  },
]

// Mutants of the ledger: each row drops or falsifies the postings of one act, and removes the trigger that would
// reject that.

import type { Mutant, Patch } from './table.ts'

/** Removes a line of a service. */
const without = (file: string, line: string): Patch => ({ file: `domains/${file}`, from: line, to: '' })

export const ledgerMutants: readonly Mutant[] = [
  {
    kind: 'payments',
    name: 'posting of a capture',
    removes: 'the posting of a charge, and its trigger',
    statements: ['drop trigger captures_are_posted on operations'],
    patches: [
      {
        file: 'domains/payments/payments/operations/apply-outcome.ts',
        from: "  if (transition.effects.includes('capture'))\n",
        to: "  if (transition.effects.includes('capture') && operation.kind === 'capture')\n",
      },
    ],
  },
  {
    kind: 'payments',
    name: 'posting of a failed refund',
    removes: 'the reversal of a failed refund, and its trigger',
    statements: ['drop trigger ended_refunds_are_posted on refunds'],
    patches: [
      without(
        'payments/payments/operations/record-refund-result.ts',
        "  postAct(tx, { act: 'refund_failed', refundId, paymentId, currency, ...split })\n",
      ),
    ],
  },
  {
    kind: 'payments',
    name: 'sides of a refund',
    removes: 'the right order of debit and credit when a refund succeeds',
    patches: [
      {
        file: 'domains/finance/ledger/postings.ts',
        from: "[{ debit: 'refunds_payable', credit: 'clearing', amount: act.amount }]",
        to: "[{ debit: 'clearing', credit: 'refunds_payable', amount: act.amount }]",
      },
    ],
  },
  {
    kind: 'payments',
    name: 'amount of an external refund',
    removes: 'the addition of a refund that was created at the provider',
    patches: [
      without(
        'payments/payments/operations/external-refund.ts',
        '    amountRefunded: payment.amountRefunded + amount,\n',
      ),
    ],
  },
  {
    kind: 'payments',
    name: 'refund of a disputed amount',
    removes: 'the rule that a disputed amount cannot be refunded',
    patches: [
      without(
        'payments/payments/commands/create-refund.ts',
        '    await requireUndisputed(tx, payment, input)\n',
      ),
    ],
  },
  {
    kind: 'payments',
    name: 'outdated report of a dispute',
    removes: 'the rule that a report that is older than the recorded state changes nothing',
    patches: [
      without(
        'payments/disputes/service/record-report.ts',
        '  if (isOutdated(report, before)) return applyLateReport(tx, { before, report })\n',
      ),
    ],
  },
  {
    kind: 'payments',
    name: 'posting of a dispute that was won',
    removes: 'the posting of the returned amount, and its trigger',
    statements: ['drop trigger disputes_are_posted on disputes'],
    patches: [
      {
        file: 'domains/payments/disputes/service/record-report.ts',
        from: '    postAct(tx, { disputeId, paymentId',
        to: "    if (movement.act !== 'dispute_returned') postAct(tx, { disputeId, paymentId",
      },
    ],
  },
  {
    kind: 'payments',
    name: 'identity of a settlement line',
    removes: 'the rule that a line in several files is stored once, and the unique index of matched postings',
    statements: ['drop index one_line_per_posting'],
    patches: [
      {
        file: 'domains/finance/settlement/formats/line-reader.ts',
        from: 'JSON.stringify([providerAccountId, ...key])',
        to: 'JSON.stringify([providerAccountId, ...key, Math.random()])',
      },
    ],
  },
  {
    kind: 'payments',
    name: 'second line of a posting',
    removes: 'the rule that a posting is matched with one line, and its unique index',
    statements: ['drop index one_line_per_posting'],
    patches: [
      {
        file: 'domains/finance/settlement/store/matching.ts',
        from: 'where not exists (select from taken where taken.cause_id = posted.cause_id and taken.act = posted.act)',
        to: '',
      },
    ],
  },
  {
    kind: 'billing',
    name: 'posting of an applied payment',
    removes: 'the posting of a payment that is applied to its invoice, and its trigger',
    statements: ['drop trigger invoice_transitions_are_posted on invoices'],
    patches: [
      without(
        'payments/payments/commands/pay-invoice.ts',
        "  postAct(tx, { act: 'payment_applied', paymentId, invoiceId, currency, unapplied, refunded })\n",
      ),
    ],
  },
  {
    kind: 'billing',
    name: 'posting of a returned debit',
    removes: 'the posting of a debit that is returned after it has paid its invoice, and its trigger',
    statements: ['drop trigger reversals_are_posted on payments'],
    patches: [
      {
        file: 'domains/payments/payments/operations/record-return.ts',
        from: "    postAct(tx, { act: 'applied_payment_reversed', invoiceId, ...ofReturn })\n",
        to: '    tx.emit\n',
      },
    ],
  },
  {
    kind: 'billing',
    name: 'posting of applied credit',
    removes: 'the posting of credit that is applied to an invoice, and its trigger',
    statements: ['drop trigger credit_entries_are_posted on credit_entries'],
    patches: [
      without(
        'billing/invoices/service/credit.ts',
        "    postAct(tx, { act: 'credit_applied', entryId, customerId, invoiceId, currency, amount: -amount })\n",
      ),
    ],
  },
]

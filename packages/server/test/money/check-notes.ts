// Checks of credit notes: how their amounts reach the customer, their tax, the notes of void invoices, and the ledger.

import { type CheckInput, sum, wireId } from './billing-check-input.ts'
import type { InvoiceRow, NoteRow } from './billing-records.ts'

/** The notes that requests have issued. The note of a void invoice documents amounts that the void has moved. */
export const requestedNotesOf = ({ billing }: CheckInput, { id }: InvoiceRow): NoteRow[] =>
  billing.notes.filter(({ invoice_id, reason }) => invoice_id === id && reason !== 'void')

const isIssued = ({ status }: NoteRow) => status === 'issued'

/**
 * The amount that notes have granted as credit and applied to what was owed. It was never credit of the customer. The entries of
 * a note stay when it is voided.
 */
export function appliedByNotes(input: CheckInput, invoice: InvoiceRow): number {
  return sum(requestedNotesOf(input, invoice), (note) => note.applied_amount)
}

/** The part of these amounts that was not taken back by voiding the note. */
export function creditedOwed(input: CheckInput, invoice: InvoiceRow): number {
  return sum(requestedNotesOf(input, invoice).filter(isIssued), (note) => note.applied_amount)
}

/** Of the parts of a note, one reduces what is owed, one is refunded, and one becomes credit. */
function partsAddUp(input: CheckInput): string[] {
  const { billing, records } = input
  return billing.invoices.flatMap((invoice) => {
    const notes = requestedNotesOf(input, invoice)
    const granted = sum(
      billing.entries.filter(
        ({ reason, invoice_id }) => reason === 'credit_note' && invoice_id === invoice.id,
      ),
      ({ amount }) => amount,
    )
    const parts = sum(notes, (note) => note.applied_amount + note.balance_amount)
    return [
      ...notes
        .filter((note) => note.applied_amount + note.refund_amount + note.balance_amount !== note.total)
        .map((note) => `${note.number} is divided into other amounts than its total ${note.total}`),
      ...notes
        .filter((note) => refundOf(records.refunds, note) !== note.refund_amount)
        .map((note) => `${note.number} says that ${note.refund_amount} was refunded`),
      ...(granted === parts
        ? []
        : [`${granted} was granted for notes of ${wireId('invoice', invoice)}, which credit ${parts}`]),
    ]
  })
}

function refundOf(refunds: CheckInput['records']['refunds'], { refund_id }: NoteRow): number {
  return sum(
    refunds.filter(({ id }) => id === refund_id),
    ({ amount }) => amount,
  )
}

/** The notes of an invoice add up to what it says was credited, and never exceed it. Those of a void invoice are the whole invoice. */
function notesAddUp({ billing }: CheckInput): string[] {
  return billing.invoices.flatMap((invoice) => {
    const notes = billing.notes.filter((note) => note.invoice_id === invoice.id && isIssued(note))
    const total = sum(notes, (note) => note.total)
    const tax = sum(notes, (note) => note.tax_total)
    const id = wireId('invoice', invoice)
    const isReversed = invoice.status === 'void' && invoice.number !== null && invoice.total > 0
    const isWhole = total === invoice.total && invoice.total > 0
    return [
      ...(total === invoice.amount_credited && total <= Math.max(0, invoice.total)
        ? []
        : [`${id} of ${invoice.total} has credited ${invoice.amount_credited}, its notes ${total}`]),
      ...(isReversed && !isWhole ? [`void invoice ${id} of ${invoice.total} has notes of ${total}`] : []),
      // The lines of other invoices include credits, which notes do not credit.
      ...(isWhole && invoice.line_count === 1 && tax !== invoice.tax_total
        ? [`the notes of ${id} return ${tax} of its tax ${invoice.tax_total}`]
        : []),
    ]
  })
}

/** Notes return at most what was paid for the invoice, and was not returned by refunds or as unused time. */
function notesReturnAtMostWhatWasPaid(input: CheckInput): string[] {
  const { billing, records, ledger } = input
  return billing.invoices.flatMap((invoice) => {
    const payments = records.payments.filter(({ invoice_id }) => invoice_id === invoice.id)
    // After a debit was returned, the amount is owed again.
    if (payments.some((row) => ledger(row).reversed > 0)) return []
    const balance = sum(requestedNotesOf(input, invoice).filter(isIssued), (note) => note.balance_amount)
    if (balance === 0) return []
    const entriesOf = (...reasons: string[]) =>
      sum(
        billing.entries.filter(
          ({ reason, invoice_id }) => reasons.includes(reason) && invoice_id === invoice.id,
        ),
        ({ amount }) => amount,
      )
    const credit = -entriesOf('applied', 'returned') - appliedByNotes(input, invoice)
    const money = sum(payments, (row) => ledger(row).captured - ledger(row).refunded)
    const paid = money + credit + (invoice.paid_out_of_band ? invoice.amount_paid : 0)
    const returned = balance + entriesOf('unused_time')
    return returned <= paid
      ? []
      : [`returned ${returned} as credit for ${wireId('invoice', invoice)}, for which ${paid} was kept`]
  })
}

/** The tax of finalized invoices minus the tax of their notes is owed to the authorities. A closed invoice is not owed. */
function ledgerMatchesNotes({ billing }: CheckInput): string[] {
  return billing.invoices.flatMap((invoice) => {
    const posted = billing.ofAccounts.find(({ invoice_id }) => invoice_id === invoice.id)
    const notes = billing.notes.filter((note) => note.invoice_id === invoice.id && isIssued(note))
    const tax = invoice.number === null ? 0 : invoice.tax_total - sum(notes, (note) => note.tax_total)
    const owed = invoice.status === 'open' ? invoice.amount_due - invoice.amount_paid : 0
    const id = wireId('invoice', invoice)
    const { tax_payable = 0, receivable = 0 } = posted ?? {}
    return [
      ...(tax_payable === tax ? [] : [`tax_payable of ${id} is ${tax_payable}, its tax is ${tax}`]),
      ...(0 - receivable === owed ? [] : [`receivable of ${id} is ${0 - receivable}, it owes ${owed}`]),
    ]
  })
}

export function creditNotesAddUp(input: CheckInput): string[] {
  const checks = [partsAddUp, notesAddUp, notesReturnAtMostWhatWasPaid, ledgerMatchesNotes]
  return checks.flatMap((check) => check(input)).map((violation) => `credit note: ${violation}`)
}

/**
 * Reminds customers of invoices that were sent to them. A reminder is due at `next_attempt_at`, like an attempt to charge
 * other invoices, so that no reminder is sent while a payment is in progress.
 */
import { assert } from '../../../../kernel/assert.ts'
import type { Tx, View } from '../../../../platform/db/unit-of-work.ts'
import { defaultTerms, findDunningPolicy } from '../../dunning-policies/service.ts'
import { invoiceReminderDue } from '../events.ts'
import type { Invoice } from '../invoice.ts'
import { dueAtOf, finalActionAt, isReminderDue, nextReminderAt, type ReminderTerms } from '../reminders.ts'
import { updateInvoice } from '../store/invoices.ts'
import { markLockedUncollectible, voidOrDiscard } from './end.ts'
import { markOverdue } from './failure.ts'
import { mailCustomers } from './mails.ts'

/** Worker: a reminder, the due date or the final action is due. The caller holds the lock on the invoice. */
export async function remindCustomer(tx: Tx, invoice: Invoice, scheduledAt: Date): Promise<void> {
  const { dueAt } = invoice
  assert(dueAt !== null, 'An open invoice must have a due date.')
  const terms = await findReminderTerms(tx, invoice)
  const isOverdue = dueAt <= tx.now
  const before = isOverdue && invoice.overdueSinceAt === null ? await markOverdue(tx, invoice) : invoice
  if (finalActionAt(dueAt, terms) <= tx.now) return applyFinalAction(tx, before, terms)
  const nextAttemptAt = nextReminderAt(dueAt, terms, tx.now)
  if (!isReminderDue(dueAt, terms, { from: scheduledAt, to: tx.now })) {
    await updateInvoice(tx, before, { nextAttemptAt }, false)
    return
  }
  const changes = { nextAttemptAt, reminderCount: before.reminderCount + 1 }
  const after = await updateInvoice(tx, before, changes, true)
  tx.emit(invoiceReminderDue, { before, after })
  await mailCustomers(tx, 'invoice_reminder', [after], after.reminderCount)
}

async function applyFinalAction(tx: Tx, before: Invoice, { finalAction }: ReminderTerms): Promise<void> {
  if (finalAction === 'uncollectible') await markLockedUncollectible(tx, before)
  else if (finalAction === 'void') await voidOrDiscard(tx, before, 'requested')
  else await updateInvoice(tx, before, { nextAttemptAt: null }, false)
}

async function findReminderTerms(view: View, { dunningPolicyId: id }: Invoice): Promise<ReminderTerms> {
  const { reminderDays, localHour, final } = id === null ? defaultTerms : await findDunningPolicy(view, id)
  return { reminderDays, localHour, finalAction: final.invoice }
}

/** The due date of an invoice that is finalized now and sent to the customer, and its first reminder. */
export async function reminderSchedule(tx: Tx, draft: Invoice) {
  const dueAt = dueAtOf(draft.termsDays ?? 0, tx.now)
  return { dueAt, nextAttemptAt: nextReminderAt(dueAt, await findReminderTerms(tx, draft), tx.now) }
}

/** The next reminder of an invoice that is open again. Null if the final action was due already. */
export async function findNextReminder(view: Tx, invoice: Invoice): Promise<Date | null> {
  const { dueAt, collectionMethod } = invoice
  if (collectionMethod !== 'send_invoice' || dueAt === null) return null
  return nextReminderAt(dueAt, await findReminderTerms(view, invoice), view.now)
}

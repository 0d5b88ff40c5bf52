/** The only writer of an invoice's status: ask the table, write, tell. The caller holds the lock. */
import { refuse } from '../../../kernel/errors.ts'
import { allowedActions, isChange, step } from '../../../kernel/machine.ts'
import type { EventDefinition } from '../../../platform/db/events.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import { type Invoice, remainingOf } from '../invoice.ts'
import { type Facts, invoiceMachine, type Trigger } from '../machine.ts'
import { type InvoiceChanges, type Update, updateInvoices } from '../store/invoices.ts'
import { moveCredit } from './credit.ts'

type Writing = Exclude<Trigger, 'pay'>

const told: { readonly [T in Writing]: EventDefinition<Invoice> } = {
  finalize: events.invoiceFinalized,
  settle: events.invoicePaid,
  void: events.invoiceVoided,
  discard: events.invoiceVoided,
  mark_uncollectible: events.invoiceMarkedUncollectible,
}

/** One trigger for one invoice. What already holds is a success, and neither written nor told. */
export async function pull(
  tx: Tx,
  before: Invoice,
  trigger: Writing,
  changes: InvoiceChanges,
): Promise<Invoice> {
  const [after] = await pullAll(tx, trigger, [{ before, changes }])
  return after as Invoice
}

/** The same trigger for many, in one statement. */
export async function pullAll(
  tx: Tx,
  trigger: Writing,
  wanted: readonly Omit<Update, 'told'>[],
): Promise<Invoice[]> {
  const rows = wanted.map(({ before, changes }) => rowFor(before, trigger, changes))
  const updates = wanted.flatMap(({ before, changes }, place) => {
    const row = rows[place]
    if (row === undefined || !isChange(row)) return []
    return [
      { before, changes: { ...changes, ...endingOf(tx, before, row.effects), status: row.to }, told: true },
    ]
  })
  for (const [place, { before }] of wanted.entries())
    if (rows[place]?.effects.includes('return_credit')) await returnCredit(tx, before)
  const written = new Map((await updateInvoices(tx, updates)).map((after) => [after.id, after]))
  return wanted.map(({ before }) => {
    const after = written.get(before.id)
    if (after !== undefined) tx.emit(told[trigger], { before, after })
    return after ?? before
  })
}

function rowFor(before: Invoice, trigger: Trigger, changes: InvoiceChanges) {
  return step(invoiceMachine, { state: before.status, trigger, facts: factsOf({ ...before, ...changes }) })
}

/** What happened to it concerns its campaign, if it has one. */
function endingOf(tx: Tx, before: Invoice, effects: readonly string[]): InvoiceChanges {
  const hasEnded = effects.includes('end_campaign') && before.campaignId !== null
  return hasEnded ? { dunningDueAt: tx.now } : {}
}

async function returnCredit(tx: Tx, invoice: Invoice): Promise<void> {
  const { customerId, currency, creditApplied: amount, id: invoiceId } = invoice
  if (amount > 0n) await moveCredit(tx, { customerId, currency, amount, reason: 'returned', invoiceId })
}

export function factsOf(invoice: Invoice): Facts {
  return { remaining: remainingOf(invoice), paymentUnderWay: invoice.livePaymentId !== null }
}

/** A payment that is under way may still succeed, so nothing else may decide what becomes of the invoice. */
export function requireQuiet(invoice: Invoice): void {
  if (invoice.livePaymentId === null) return
  refuse('payment_in_progress', {
    resource_id: invoice.livePaymentId,
    current_status: invoice.status,
    allowed_actions: allowedActions(invoiceMachine, invoice.status, factsOf(invoice)),
  })
}

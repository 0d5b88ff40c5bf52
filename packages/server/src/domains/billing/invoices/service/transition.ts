/**
 * The only code that writes the invoice status: applies the state machine, updates the row and emits the
 * event. The caller holds the lock on the invoice.
 */
import { refuse } from '../../../../kernel/errors.ts'
import { allowedActions, isChange, nextTransition } from '../../../../kernel/machine.ts'
import type { EventDefinition } from '../../../../platform/db/events.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import * as events from '../events.ts'
import { type Invoice, remainingOf, revenueAccountOf } from '../invoice.ts'
import { type Facts, invoiceMachine, type Trigger } from '../machine.ts'
import { type InvoiceChanges, type Update, updateInvoices } from '../store/invoices.ts'
import { changeCredit } from './credit.ts'
import { postTransition } from './post-transition.ts'

type WritingTrigger = Exclude<Trigger, 'pay'>

const eventByTrigger: { readonly [T in WritingTrigger]: EventDefinition<Invoice> } = {
  finalize: events.invoiceFinalized,
  settle: events.invoicePaid,
  reverse: events.invoicePaymentFailed,
  void: events.invoiceVoided,
  discard: events.invoiceVoided,
  mark_uncollectible: events.invoiceMarkedUncollectible,
}

type TransitionRequest = Pick<Update, 'before' | 'changes'> & {
  /** The credit that a void returns. */
  readonly creditReturned?: bigint
}

/** Applies one trigger to one invoice. A repeated action succeeds without a write or an event. */
export async function transition(
  tx: Tx,
  before: Invoice,
  trigger: WritingTrigger,
  changes: InvoiceChanges,
): Promise<Invoice> {
  const [after] = await transitionAll(tx, trigger, [{ before, changes }])
  return after as Invoice
}

/** Applies the same trigger to many invoices in one statement. */
export async function transitionAll(
  tx: Tx,
  trigger: WritingTrigger,
  requested: readonly TransitionRequest[],
): Promise<Invoice[]> {
  const rows = requested.map(({ before, changes }) => rowFor(before, trigger, changes))
  const updates = requested.flatMap(({ before, changes }, index) => {
    const row = rows[index]
    if (row === undefined || !isChange(row)) return []
    return [
      {
        before,
        changes: { ...changes, ...campaignNotification(tx, before, row.effects), status: row.to },
        emitsEvent: true,
      },
    ]
  })
  for (const [index, { before, creditReturned = 0n }] of requested.entries())
    if (rows[index]?.effects.includes('return_credit')) await returnCredit(tx, before, creditReturned)
  const updated = new Map((await updateInvoices(tx, updates)).map((after) => [after.id, after]))
  return requested.map(({ before, creditReturned = 0n }) => {
    const after = updated.get(before.id)
    if (after === undefined) return before
    postTransition(tx, trigger, { before, after, creditReturned })
    tx.emit(eventByTrigger[trigger], { before, after })
    return after
  })
}

function rowFor(before: Invoice, trigger: Trigger, changes: InvoiceChanges) {
  return nextTransition(invoiceMachine, {
    state: before.status,
    trigger,
    facts: factsOf({ ...before, ...changes }),
  })
}

/** Notifies the dunning campaign, if there is one, or starts one. */
function campaignNotification(tx: Tx, before: Invoice, effects: readonly string[]): InvoiceChanges {
  const notifiesCampaign = effects.includes('end_campaign') && before.campaignId !== null
  return notifiesCampaign || effects.includes('start_campaign') ? { dunningDueAt: tx.now } : {}
}

async function returnCredit(tx: Tx, invoice: Invoice, amount: bigint): Promise<void> {
  const { customerId, currency, id: invoiceId } = invoice
  const revenue = revenueAccountOf(invoice)
  if (amount > 0n)
    await changeCredit(tx, { customerId, currency, amount, reason: 'returned', invoiceId, revenue })
}

export function factsOf(invoice: Invoice): Facts {
  return { remaining: remainingOf(invoice), paymentInProgress: invoice.pendingPaymentId !== null }
}

/**
 * A payment in progress may still succeed, so the invoice must not be paid, voided or written off in the meantime.
 */
export function requireNoPendingPayment(invoice: Invoice): void {
  if (invoice.pendingPaymentId === null) return
  refuse('payment_in_progress', {
    resource_id: invoice.pendingPaymentId,
    current_status: invoice.status,
    allowed_actions: allowedActions(invoiceMachine, invoice.status, factsOf(invoice)),
  })
}

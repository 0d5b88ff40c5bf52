/** What a failed attempt means for an invoice. What is tried next, and when, is not decided here. */
import type { EventDefinition } from '../../../platform/db/events.ts'
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { Payment } from '../../payments/service/invoice.ts'
import * as events from '../events.ts'
import type { CollectionFailure, Invoice } from '../invoice.ts'
import { type InvoiceChanges, updateInvoice } from '../store/invoices.ts'

/** The card is there, but the bank wants to see its holder; or there is no card at all. */
const needsCustomer = new Set(['authentication_required', 'authentication_abandoned', 'no_payment_method'])

export function failureOf(tx: Tx, { id, failure }: Payment): CollectionFailure {
  const at = tx.now.toISOString()
  if (failure !== null) return { payment_id: id, ...failure, at }
  // It was cancelled: nobody declined anything.
  return { payment_id: id, ...cancelled, at }
}

const cancelled = {
  code: 'cancelled',
  class: 'other',
  advice_code: 'try_again_later',
  message: 'The payment was cancelled.',
  network_code: null,
}

export function noMethod(tx: Tx): CollectionFailure {
  return {
    payment_id: null,
    code: 'no_payment_method',
    class: 'hard',
    advice_code: 'other_method',
    message: 'There is no payment method to collect this invoice with.',
    network_code: null,
    at: tx.now.toISOString(),
  }
}

/** Writes it down and tells it. The caller holds the lock. */
export async function fail(tx: Tx, before: Invoice, failure: CollectionFailure): Promise<Invoice> {
  const event: EventDefinition<Invoice> = needsCustomer.has(failure.code)
    ? events.invoicePaymentActionRequired
    : events.invoicePaymentFailed
  const changes = {
    livePaymentId: null,
    lastFailure: failure,
    subscriptionDueAt: tx.now,
    ...afterFailure(tx, before),
  }
  const after = await updateInvoice(tx, before, changes, true)
  tx.emit(event, { before, after })
  return isDunned(before) && before.overdueSinceAt === null ? becomeOverdue(tx, after) : after
}

/**
 * The seam to dunning: nothing more is tried by itself until a campaign has heard of it (`dunning_due_at`) and
 * sets the next time. A beginning is not dunned: its subscription waits for its customer, and ends by itself.
 */
function afterFailure(tx: Tx, invoice: Invoice): InvoiceChanges {
  return { nextAttemptAt: null, ...(isDunned(invoice) ? { dunningDueAt: tx.now } : {}) }
}

/** Neither what was given up, nor a beginning. */
function isDunned({ status, reason }: Invoice): boolean {
  return status === 'open' && reason !== 'start' && reason !== 'resume'
}

async function becomeOverdue(tx: Tx, before: Invoice): Promise<Invoice> {
  const after = await updateInvoice(tx, before, { overdueSinceAt: tx.now }, true)
  tx.emit(events.invoiceOverdue, { before, after })
  return after
}

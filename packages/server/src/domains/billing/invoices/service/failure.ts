/** Records a failed collection attempt. Dunning decides whether and when it is retried. */
import type { EventDefinition } from '../../../../platform/db/events.ts'
import type { Tx } from '../../../../platform/db/unit-of-work.ts'
import type { Payment } from '../../../payments/payments/commands/pay-invoice.ts'
import * as events from '../events.ts'
import type { CollectionFailure, Invoice } from '../invoice.ts'
import { type InvoiceChanges, updateInvoice } from '../store/invoices.ts'
import { mailCustomers } from './mails.ts'

/**
 * Codes that require action by the customer: the bank requires authentication, or there is no card to charge.
 */
const customerActionCodes = new Set([
  'authentication_required',
  'authentication_abandoned',
  'no_payment_method',
])

/** Why the invoice is not paid by this payment, whose outcome is known. */
export function failureOf(tx: Tx, { id, failure, reversal }: Payment): CollectionFailure {
  if (reversal !== null)
    return { payment_id: id, ...returned, network_code: reversal.reason_code, at: reversal.at }
  const at = tx.now.toISOString()
  if (failure !== null) return { payment_id: id, ...failure, at }
  // The payment was cancelled or refunded, so there is no decline.
  return { payment_id: id, ...cancelled, at }
}

const returned = {
  code: 'debit_returned',
  class: 'soft',
  advice_code: 'other_method',
  message: 'Your bank returned this payment. Use another payment method.',
} as const

const cancelled = {
  code: 'cancelled',
  class: 'other',
  advice_code: 'try_again_later',
  message: 'The payment was cancelled.',
  network_code: null,
}

export function noPaymentMethod(tx: Tx): CollectionFailure {
  return {
    payment_id: null,
    code: 'no_payment_method',
    class: 'hard',
    advice_code: 'other_method',
    message: 'The invoice has no payment method to charge.',
    network_code: null,
    at: tx.now.toISOString(),
  }
}

/** Records the failure and emits the event. The caller holds the lock. */
export async function recordFailure(tx: Tx, before: Invoice, failure: CollectionFailure): Promise<Invoice> {
  const needsCustomer = customerActionCodes.has(failure.code)
  const event: EventDefinition<Invoice> = needsCustomer
    ? events.invoicePaymentActionRequired
    : events.invoicePaymentFailed
  const changes = {
    pendingPaymentId: null,
    lastFailure: failure,
    subscriptionDueAt: tx.now,
    ...changesAfterFailure(tx, before),
  }
  const after = await updateInvoice(tx, before, changes, true)
  tx.emit(event, { before, after })
  await mailCustomers(tx, needsCustomer ? 'action_required' : 'payment_failed', [after])
  return isDunned(before) && before.overdueSinceAt === null ? markOverdue(tx, after) : after
}

/**
 * Hands the failure over to dunning: nothing is retried automatically until a campaign has processed it
 * (`dunning_due_at`) and scheduled the next attempt. There is no dunning for the first invoice after a start
 * or a resumption: the subscription stays inactive until the customer pays or the activation expires.
 */
function changesAfterFailure(tx: Tx, invoice: Invoice): InvoiceChanges {
  // The customer is still reminded of an invoice that was sent.
  if (invoice.collectionMethod === 'send_invoice') return {}
  return { nextAttemptAt: null, ...(isDunned(invoice) ? { dunningDueAt: tx.now } : {}) }
}

/**
 * False for uncollectible invoices, for invoices that were sent to the customer, and for the first invoice after a start
 * or a resumption.
 */
function isDunned({ status, reason, collectionMethod }: Invoice): boolean {
  if (collectionMethod === 'send_invoice') return false
  return status === 'open' && reason !== 'start' && reason !== 'resume'
}

export async function markOverdue(tx: Tx, before: Invoice): Promise<Invoice> {
  const after = await updateInvoice(tx, before, { overdueSinceAt: tx.now }, true)
  tx.emit(events.invoiceOverdue, { before, after })
  return after
}

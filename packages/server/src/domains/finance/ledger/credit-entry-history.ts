/**
 * Derives the business transaction of a credit entry, with its time, from the stored state of the entry. No side
 * effects.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import { type InvoiceHistory, revenueOf } from './invoice-history.ts'
import type { DatedAct } from './missing-postings.ts'

export type StoredCreditEntry = {
  readonly id: Id<'credit_entry'>
  readonly customerId: Id<'customer'>
  readonly currency: Currency
  readonly amount: bigint
  readonly reason: string
  readonly createdAt: Date
  readonly invoice: Pick<InvoiceHistory, 'id' | 'hasPeriod' | 'earnedAt'> | null
}

/** Null if the entry has the wrong sign for its reason, or lacks the invoice that it belongs to. */
export function actOfCreditEntry(entry: StoredCreditEntry): DatedAct | null {
  const { id: entryId, customerId, currency, amount, reason, createdAt: at, invoice } = entry
  const ofEntry = { entryId, customerId, currency }
  if (reason === 'applied') {
    if (invoice === null || amount > 0n) return null
    return { at, ledgerAct: { act: 'credit_applied', ...ofEntry, invoiceId: invoice.id, amount: -amount } }
  }
  if (amount < 0n) return null
  const invoiceId = invoice?.id ?? null
  if (reason !== 'returned')
    return { at, ledgerAct: { act: 'credit_granted', ...ofEntry, invoiceId, amount, revenue: 'sales' } }
  if (invoice === null) return null
  return {
    at,
    ledgerAct: { act: 'credit_returned', ...ofEntry, invoiceId, amount, revenue: revenueOf(invoice) },
  }
}

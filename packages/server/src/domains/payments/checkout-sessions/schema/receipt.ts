/** The receipt that the hosted page shows. */
import { exponentOf } from '../../../../kernel/currency.ts'
import type { Seller } from '../../../access/organizations/schema.ts'
import type { Receipt } from '../receipt.ts'

export function presentReceipt(
  receipt: Receipt,
  { seller, email }: { seller: Seller; email: string | null },
) {
  return {
    object: 'receipt',
    reference: receipt.reference,
    seller,
    amount: Number(receipt.amount),
    currency: receipt.currency,
    exponent: exponentOf(receipt.currency),
    held: receipt.isAuthorizationOnly,
    items: receipt.items,
    discounts: receipt.discounts,
    description: receipt.description,
    card: receipt.card,
    paid_at: receipt.paidAt.toISOString(),
    statement_descriptor: receipt.statementDescriptor,
    email,
    locale: receipt.locale,
    mode: receipt.isTest ? 'test' : 'live',
  }
}

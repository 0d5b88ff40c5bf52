/**
 * The credit balance of a customer in one currency. It is applied to the next invoices, and is never
 * negative.
 */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'

export type CreditBalance = {
  readonly id: Id<'credit_balance'>
  readonly customerId: Id<'customer'>
  readonly currency: Currency
  readonly balance: bigint
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/**
 * Why a balance changed. `applied`: credit was applied to an invoice. `returned`: the invoice was voided. The
 * other reasons increase the balance.
 */
export type CreditReason = 'unused_time' | 'invoice_below_zero' | 'applied' | 'returned' | 'credit_note'

export type CreditChange = {
  readonly customerId: Id<'customer'>
  readonly currency: Currency
  /** Positive amounts increase the balance. */
  readonly amount: bigint
  readonly reason: CreditReason
  readonly invoiceId: Id<'invoice'> | null
  /**
   * For credit that a void invoice returns: the ledger account that held the value of the invoice. Default:
   * `sales`.
   */
  readonly revenue?: 'unearned' | 'sales'
}

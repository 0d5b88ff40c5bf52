/** Money that we owe a customer, in one currency. It is set against the next invoices, and never below zero. */
import type { Currency } from '../../kernel/currency.ts'
import type { Id } from '../../kernel/id.ts'

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

/** Why a balance moved: up for time that was not used and invoices below zero, down when it is set against one. */
export type CreditReason = 'unused_time' | 'invoice_below_zero' | 'applied' | 'returned'

export type CreditMove = {
  readonly customerId: Id<'customer'>
  readonly currency: Currency
  /** Above zero it grows. */
  readonly amount: bigint
  readonly reason: CreditReason
  readonly invoiceId: Id<'invoice'> | null
}

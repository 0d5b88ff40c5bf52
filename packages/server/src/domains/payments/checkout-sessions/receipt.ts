/** The receipt of a payment, as the payment page shows it. */
import type { Currency } from '../../../kernel/currency.ts'
import type { ShownDiscount } from './session.ts'

export type Receipt = {
  readonly seller: string
  readonly amount: bigint
  readonly currency: Currency
  /** The amount is authorized, and captured later. */
  readonly isAuthorizationOnly: boolean
  readonly items: readonly { readonly name: string; readonly quantity: number; readonly amount: number }[]
  readonly discounts: readonly ShownDiscount[]
  readonly description: string | null
  readonly card: { readonly brand: string; readonly last4: string }
  readonly paidAt: Date
  readonly reference: string
  readonly statementDescriptor: string | null
  readonly locale: string | null
  readonly isTest: boolean
}

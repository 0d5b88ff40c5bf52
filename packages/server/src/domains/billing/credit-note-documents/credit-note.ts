/** A credit note: a document that reverses all or part of an invoice, and refers to it. */
import type { Currency } from '../../../kernel/currency.ts'
import type { Id } from '../../../kernel/id.ts'
import type { Status } from './machine.ts'

/** The reasons that a request can state. */
export const creditNoteReasons = [
  'duplicate',
  'product_unsatisfactory',
  'order_change',
  'order_cancelled',
  'other',
] as const

/** `void`: the note was issued because its invoice was voided. */
export const storedReasons = [...creditNoteReasons, 'void'] as const

export type CreditNoteLine = {
  readonly id: Id<'credit_note_line'>
  readonly invoiceLineId: Id<'invoice_line'>
  readonly description: string | null
  readonly amount: bigint
  readonly tax: bigint
}

export type CreditNoteTerms = {
  readonly invoiceId: Id<'invoice'>
  readonly customerId: Id<'customer'>
  readonly currency: Currency
  readonly reason: (typeof storedReasons)[number]
  readonly memo: string | null
  readonly subtotal: bigint
  /** All tax, whether it is added to the subtotal or contained in it. */
  readonly taxTotal: bigint
  readonly total: bigint
  /** The part that reduced what was still owed. */
  readonly appliedAmount: bigint
  readonly refundAmount: bigint
  /** The refund that the note documents. Null if there is none, or before it is created. */
  readonly refundId: Id<'refund'> | null
  /** The part that became credit of the customer. */
  readonly balanceAmount: bigint
  readonly lines: readonly Omit<CreditNoteLine, 'id'>[]
}

export type CreditNote = Omit<CreditNoteTerms, 'lines'> & {
  readonly id: Id<'credit_note'>
  readonly status: Status
  readonly number: string
  readonly lines: readonly CreditNoteLine[]
  /** The part that was not earned when the note was issued, because the period of the invoice had not ended. */
  readonly unearnedAmount: bigint
  readonly voidedAt: Date | null
  readonly testClockId: Id<'test_clock'> | null
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly version: number
  readonly sequence: number
}

/** `CN-000042`, and `TESTCN-000042` in the test environment. */
export function formatCreditNoteNumber(mode: 'live' | 'test', sequenceNumber: bigint): string {
  return `${mode === 'live' ? 'CN' : 'TESTCN'}-${String(sequenceNumber).padStart(6, '0')}`
}

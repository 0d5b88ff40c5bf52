import { type Static, Type } from 'typebox'
import { currencies } from '../../../kernel/currency.ts'
import { money, toWire } from '../../../kernel/money.ts'
import {
  CreatedAt,
  IdOf,
  nullable,
  nullableWithNullExample,
  OneOf,
  UpdatedAt,
} from '../../../kernel/shapes.ts'
import { type CreditNote, type CreditNoteTerms, storedReasons } from './credit-note.ts'
import { statuses } from './machine.ts'

export { type CreditNoteTerms, creditNoteReasons } from './credit-note.ts'

const amount = (description: string, example: number) =>
  Type.Integer({ description, examples: [example], loggable: true })

const Reason = OneOf(storedReasons, {
  description:
    'Why the credit note was issued. `void`: its invoice was voided, and the note reverses what earlier credit notes had left of it.',
  examples: ['order_change'],
  loggable: true,
})

export const lineMembers = {
  invoice_line_id: IdOf('invoice_line'),
  description: nullable(
    Type.String({ description: 'Description of the invoice line.', examples: ['Workshop, one day'] }),
  ),
  amount: amount(
    'Credited amount of the line in minor units, after discounts. Negative for a line that is itself a credit, which only a credit note with the reason `void` contains.',
    20000,
  ),
  tax: amount('Tax on the amount, in minor units.', 0),
}

export const amountMembers = {
  subtotal: amount('Sum of the lines, in minor units.', 20000),
  tax_total: amount('Total tax in minor units, whether amounts include it or not.', 0),
  total: amount('Subtotal plus the tax that it does not include, in minor units.', 20000),
  applied_amount: amount('Part that reduces what is still owed, in minor units.', 0),
  refund_amount: amount('Part that is refunded, in minor units.', 20000),
  balance_amount: amount('Part that becomes customer credit, in minor units.', 0),
}

export const CurrencyCode = OneOf(currencies, {
  description: 'Three-letter ISO 4217 currency code in lowercase, e.g. `eur`.',
  examples: ['eur'],
  loggable: true,
})

export const CreditNoteObject = Type.Object(
  {
    id: IdOf('credit_note'),
    object: Type.Literal('credit_note'),
    number: Type.String({
      description: 'Sequential number without gaps, in a series of its own.',
      examples: ['CN-000042'],
    }),
    status: OneOf(statuses, {
      description: '`issued`: valid. `void`: withdrawn before any money was moved.',
      examples: ['issued'],
      loggable: true,
    }),
    invoice_id: IdOf('invoice'),
    customer_id: IdOf('customer'),
    currency: CurrencyCode,
    reason: Reason,
    memo: nullableWithNullExample(
      Type.String({ description: 'Text for the customer on the credit note.', examples: ['One day less.'] }),
    ),
    lines: Type.Array(Type.Object({ id: IdOf('credit_note_line'), ...lineMembers }), {
      description: 'Credited lines of the invoice.',
    }),
    ...amountMembers,
    refund_id: nullable(IdOf('refund', 'Refund of the payment of the invoice. Null if there is none.')),
    voided_at: nullableWithNullExample(
      Type.String({ format: 'date-time', description: 'Time the credit note was voided.' }),
    ),
    test_clock_id: nullableWithNullExample(IdOf('test_clock')),
    created_at: CreatedAt,
    updated_at: UpdatedAt,
  },
  {
    $id: 'CreditNote',
    description: 'A document that reverses all or part of an invoice, and refers to it.',
  },
)

type Terms = Omit<CreditNoteTerms, 'lines'>

export function presentAmounts({ currency, ...note }: Terms) {
  const units = (value: bigint) => toWire(money(value, currency)).amount
  return {
    subtotal: units(note.subtotal),
    tax_total: units(note.taxTotal),
    total: units(note.total),
    applied_amount: units(note.appliedAmount),
    refund_amount: units(note.refundAmount),
    balance_amount: units(note.balanceAmount),
  }
}

export const presentLine = (line: CreditNoteTerms['lines'][number]) => ({
  invoice_line_id: line.invoiceLineId,
  description: line.description,
  amount: Number(line.amount),
  tax: Number(line.tax),
})

export function present(note: CreditNote): Static<typeof CreditNoteObject> {
  return {
    id: note.id,
    object: 'credit_note',
    number: note.number,
    status: note.status,
    invoice_id: note.invoiceId,
    customer_id: note.customerId,
    currency: note.currency,
    reason: note.reason,
    memo: note.memo,
    lines: note.lines.map((line) => ({ id: line.id, ...presentLine(line) })),
    ...presentAmounts(note),
    refund_id: note.refundId,
    voided_at: note.voidedAt?.toISOString() ?? null,
    test_clock_id: note.testClockId,
    created_at: note.createdAt.toISOString(),
    updated_at: note.updatedAt.toISOString(),
  }
}

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
import { type CreditNote, type CreditNoteTerms, creditNoteReasons } from './credit-note.ts'
import { statuses } from './machine.ts'

export { XmlQuery } from '../invoices/schema/xml.ts'

const amount = (description: string, example: number) =>
  Type.Integer({ description, examples: [example], loggable: true })

const Reason = OneOf(creditNoteReasons, {
  description: 'Why the credit note is issued.',
  examples: ['order_change'],
  loggable: true,
})

const lineMembers = {
  invoice_line_id: IdOf('invoice_line'),
  description: nullable(
    Type.String({ description: 'Description of the invoice line.', examples: ['Workshop, one day'] }),
  ),
  amount: amount('Credited amount of the line in minor units, after discounts.', 20000),
  tax: amount('Tax on the amount, in minor units.', 0),
}

const amountMembers = {
  subtotal: amount('Sum of the lines, in minor units.', 20000),
  tax_total: amount('Total tax in minor units, whether amounts include it or not.', 0),
  total: amount('Subtotal plus the tax that it does not include, in minor units.', 20000),
  applied_amount: amount('Part that reduces what is still owed, in minor units.', 0),
  refund_amount: amount('Part that is refunded, in minor units.', 20000),
  balance_amount: amount('Part that becomes customer credit, in minor units.', 0),
}

const CurrencyCode = OneOf(currencies, {
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

export const CreditNotePreviewObject = Type.Object(
  {
    object: Type.Literal('credit_note_preview'),
    invoice_id: IdOf('invoice'),
    currency: CurrencyCode,
    lines: Type.Array(Type.Object(lineMembers), { description: 'Credited lines of the invoice.' }),
    ...amountMembers,
  },
  { $id: 'CreditNotePreview', description: 'The amounts that a credit note would have.' },
)

export const CreditNotePath = Type.Object({ credit_note_id: IdOf('credit_note') })

export const CreateCreditNote = Type.Object(
  {
    invoice_id: IdOf('invoice'),
    reason: Type.Optional({ ...Reason, default: 'other' }),
    memo: Type.Optional(
      Type.String({ maxLength: 2000, description: 'Text for the customer on the credit note.' }),
    ),
    lines: Type.Array(
      Type.Object(
        {
          invoice_line_id: IdOf('invoice_line'),
          amount: Type.Integer({
            minimum: 1,
            description:
              'Amount to credit, in minor units: after discounts, and without tax that is added to it.',
            examples: [20000],
            loggable: true,
          }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 100, description: 'What is credited, at most once per invoice line.' },
    ),
    refund_amount: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          'Part to refund to the payment of the invoice. Default: what `balance_amount` leaves, or 0.',
        examples: [20000],
        loggable: true,
      }),
    ),
    refund_id: Type.Optional(
      IdOf(
        'refund',
        'A refund of the payment of the invoice that has no credit note yet. Its amount is the refunded part of this note, and nothing else is refunded. Omit `refund_amount`.',
      ),
    ),
    balance_amount: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: 'Part that becomes customer credit. Default: what `refund_amount` leaves.',
        examples: [0],
        loggable: true,
      }),
    ),
  },
  { additionalProperties: false },
)
export type CreateCreditNote = Static<typeof CreateCreditNote>

type Terms = Omit<CreditNoteTerms, 'lines'>

function presentAmounts({ currency, ...note }: Terms) {
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

const presentLine = (line: CreditNoteTerms['lines'][number]) => ({
  invoice_line_id: line.invoiceLineId,
  description: line.description,
  amount: Number(line.amount),
  tax: Number(line.tax),
})

export function presentPreview(terms: CreditNoteTerms): Static<typeof CreditNotePreviewObject> {
  return {
    object: 'credit_note_preview',
    invoice_id: terms.invoiceId,
    currency: terms.currency,
    lines: terms.lines.map(presentLine),
    ...presentAmounts(terms),
  }
}

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

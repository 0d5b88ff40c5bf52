import { type Static, Type } from 'typebox'
import { IdOf, OneOf } from '../../../kernel/shapes.ts'
import {
  amountMembers,
  type CreditNoteTerms,
  CurrencyCode,
  creditNoteReasons,
  lineMembers,
  presentAmounts,
  presentLine,
} from '../credit-note-documents/schema.ts'

export { CreditNoteObject, present } from '../credit-note-documents/schema.ts'
export { XmlQuery } from '../invoices/schema/xml.ts'

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

const Reason = OneOf(creditNoteReasons, {
  description: 'Why the credit note is issued.',
  examples: ['order_change'],
  loggable: true,
})

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

export function presentPreview(terms: CreditNoteTerms): Static<typeof CreditNotePreviewObject> {
  return {
    object: 'credit_note_preview',
    invoice_id: terms.invoiceId,
    currency: terms.currency,
    lines: terms.lines.map(presentLine),
    ...presentAmounts(terms),
  }
}

import { defineEvent } from '../../../platform/db/events.ts'
import type { CreditNote } from './credit-note.ts'
import { CreditNoteObject, present } from './schema.ts'

export const creditNoteIssued = defineEvent<CreditNote>({
  type: 'credit_note.issued',
  about: 'A credit note was issued for an invoice.',
  schema: CreditNoteObject,
  present,
})

export const creditNoteVoided = defineEvent<CreditNote>({
  type: 'credit_note.voided',
  about: 'A credit note was voided. Its amount is owed again.',
  schema: CreditNoteObject,
  present,
  example: {
    object: { status: 'void', voided_at: '2026-11-14T12:00:00.000Z' },
    before: { status: 'issued', voided_at: null },
  },
})

export const creditNoteEvents = [creditNoteIssued, creditNoteVoided]

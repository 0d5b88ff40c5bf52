/**
 * Credit notes as documents: their numbers, lines and events. This domain does not know invoices, so that voiding an invoice
 * can issue a note. `credit-notes` decides which notes a request may issue.
 */
import type { Tx } from '../../../platform/db/unit-of-work.ts'
import type { CreditNote, CreditNoteTerms } from './credit-note.ts'
import { creditNoteIssued, creditNoteVoided } from './events.ts'
import * as store from './store.ts'

export type { CreditNote, CreditNoteTerms } from './credit-note.ts'
export { creditNoteMachine } from './machine.ts'
export { findCreditNote, hasNote, issuedNotesOf, listCreditNotes } from './store.ts'

export type IssuedTerms = CreditNoteTerms & Pick<CreditNote, 'unearnedAmount' | 'testClockId'>

/** Numbers and stores a note. The caller holds the lock on the invoice. */
export async function issueCreditNote(tx: Tx, terms: IssuedTerms): Promise<CreditNote> {
  const note = await store.insertCreditNote(tx, terms)
  tx.emit(creditNoteIssued, { after: note })
  return note
}

/** The caller holds the lock on the invoice, and has checked that no money was moved. */
export async function markCreditNoteVoid(tx: Tx, before: CreditNote): Promise<CreditNote> {
  const after = await store.voidCreditNote(tx, before)
  tx.emit(creditNoteVoided, { before, after })
  return after
}

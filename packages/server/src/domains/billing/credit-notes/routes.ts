import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import { type Document, operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf, TestClocks } from '../../../platform/http/pagination.ts'
import {
  CreateCreditNote,
  CreditNoteObject,
  CreditNotePath,
  CreditNotePreviewObject,
  present,
  presentPreview,
  XmlQuery,
} from './schema.ts'
import {
  type CreditNote,
  createCreditNote,
  getCreditNote,
  listCreditNotes,
  previewCreditNote,
  renderCreditNote,
  voidCreditNote,
  writeCreditNote,
} from './service.ts'

const path = '/credit-notes/:credit_note_id'
const version = (note: CreditNote) => note.version
const creationErrors = ['not_found', 'conflict', 'invalid_state', 'payment_in_progress'] as const

const writeOperations = (deps: Deps) => [
  operation({
    id: 'credit_notes.create',
    method: 'POST',
    path: '/credit-notes',
    summary: 'Issue a credit note',
    description:
      'Reverses all or part of an open or paid invoice. The total first reduces what is still owed; the rest is refunded or becomes customer credit.',
    body: CreateCreditNote,
    status: 201,
    response: CreditNoteObject,
    errors: [...creationErrors, 'payment_disputed', 'test_clock_advancing'],
    present,
    version,
    handle: ({ caller, body }) => createCreditNote(deps, caller, body),
  }),
  operation({
    id: 'credit_notes.preview',
    method: 'POST',
    path: '/credit-notes/preview',
    summary: 'Preview a credit note',
    description: 'Returns the amounts that a credit note with this body would have. Nothing is stored.',
    body: CreateCreditNote,
    response: CreditNotePreviewObject,
    errors: creationErrors,
    present: presentPreview,
    handle: ({ caller, body }) => previewCreditNote(deps, caller, body),
  }),
  operation({
    id: 'credit_notes.void',
    method: 'POST',
    path: `${path}/void`,
    summary: 'Void a credit note',
    description:
      'Voids a credit note, so that its amount is owed again. Possible only while its invoice is open, and if no part of the note was refunded or became customer credit. A credit note with the reason `void` cannot be voided.',
    params: CreditNotePath,
    response: CreditNoteObject,
    errors: [...creationErrors, 'test_clock_advancing'],
    present,
    version,
    handle: ({ caller, params }) => voidCreditNote(deps, caller, params.credit_note_id),
  }),
]

const readOperations = (deps: Deps) => [
  operation({
    id: 'credit_notes.list',
    method: 'GET',
    path: '/credit-notes',
    summary: 'List credit notes',
    description: 'Returns credit notes, newest first. Can be filtered by invoice or customer.',
    query: PageQuery({
      invoice_id: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only credit notes of this invoice.' }),
      ),
      customer_id: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only credit notes of this customer.' }),
      ),
      test_clocks: TestClocks,
    }),
    response: PageOf(CreditNoteObject),
    errors: ['invalid_cursor'],
    present: presentPage('/credit-notes', present),
    handle: ({ caller, query }) =>
      listCreditNotes(deps, caller, rangeOf('credit_note', caller.mode, query), query),
  }),
  operation({
    id: 'credit_notes.get',
    method: 'GET',
    path,
    summary: 'Get a credit note',
    description: 'Returns a credit note with its lines.',
    params: CreditNotePath,
    response: CreditNoteObject,
    errors: ['not_found'],
    present,
    version,
    handle: ({ caller, params }) => getCreditNote(deps, caller, params.credit_note_id),
  }),
  operation({
    id: 'credit_notes.pdf',
    method: 'GET',
    path: `${path}/pdf`,
    summary: 'Get a credit note as a PDF',
    description: 'Returns a PDF in the language of the customer. It names the invoice that it reverses.',
    params: CreditNotePath,
    document: 'application/pdf',
    response: Type.String({ description: 'The PDF document.' }),
    errors: ['not_found'],
    present: (document: Document) => document,
    handle: ({ caller, params }) => renderCreditNote(deps, caller, params.credit_note_id),
  }),
  operation({
    id: 'credit_notes.xml',
    method: 'GET',
    path: `${path}/xml`,
    summary: 'Get a credit note as an e-invoice',
    description:
      'Returns the credit note as XML according to EN 16931. It refers to the invoice that it reverses.',
    params: CreditNotePath,
    query: XmlQuery,
    document: 'application/xml',
    response: Type.String({ description: 'The XML document.' }),
    errors: ['not_found', 'invalid_state', 'e_invoice_incomplete'],
    present: (document: Document) => document,
    handle: ({ caller, params, query }) => writeCreditNote(deps, caller, params.credit_note_id, query),
  }),
]

export const creditNoteOperations = (deps: Deps) => [...writeOperations(deps), ...readOperations(deps)]

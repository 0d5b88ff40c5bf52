import { Type } from 'typebox'
import type { Deps } from '../../deps.ts'
import { OneOf } from '../../kernel/shapes.ts'
import { type Document, operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import type { Invoice, Line } from './invoice.ts'
import { statuses } from './machine.ts'
import { InvoiceObject, InvoicePath, LineObject, PayInvoice, present, presentLine } from './schema.ts'
import { payInvoice } from './service/collect.ts'
import { markUncollectible, voidInvoice } from './service/end.ts'
import { finalizeInvoice } from './service/finalize.ts'
import { actInTime } from './service/in-time.ts'
import { renderInvoice } from './service/pdf.ts'
import { getInvoice, listInvoiceLines, listInvoices } from './service/read.ts'

const path = '/invoices/:invoice_id'
const version = (invoice: Invoice) => invoice.version

type LinePage = { readonly invoice: Invoice; readonly rows: readonly Line[]; readonly hasMore: boolean }
const presentLines = (page: LinePage) => presentPage(`/invoices/${page.invoice.id}/lines`, presentLine)(page)

export const invoiceOperations = (deps: Deps) => [
  operation({
    id: 'invoices.list',
    method: 'GET',
    path: '/invoices',
    summary: 'List invoices',
    description: 'Newest first, or those of one customer, one subscription or in one status.',
    query: PageQuery({
      customer_id: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only those of this customer.' }),
      ),
      subscription_id: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only those of this subscription.' }),
      ),
      status: Type.Optional(OneOf(statuses, { description: 'Only those in this state.' })),
    }),
    answer: PageOf(InvoiceObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/invoices', present),
    verb: ({ caller, query }) => listInvoices(deps, caller, rangeOf('invoice', caller.mode, query), query),
  }),
  operation({
    id: 'invoices.get',
    method: 'GET',
    path,
    summary: 'Get an invoice',
    description: 'Answers one invoice with its lines and how it is collected.',
    params: InvoicePath,
    answer: InvoiceObject,
    refuses: ['not_found'],
    present,
    version,
    verb: ({ caller, params }) => getInvoice(deps, caller, params.invoice_id),
  }),
  operation({
    id: 'invoices.lines',
    method: 'GET',
    path: `${path}/lines`,
    summary: 'List the lines of an invoice',
    description: 'Each with the arithmetic that its amount comes from.',
    params: InvoicePath,
    query: PageQuery({}),
    answer: PageOf(LineObject),
    refuses: ['not_found', 'invalid_cursor'],
    present: presentLines,
    verb: ({ caller, params, query }) =>
      listInvoiceLines(deps, caller, params.invoice_id, rangeOf('invoice_line', caller.mode, query)),
  }),
  operation({
    id: 'invoices.pdf',
    method: 'GET',
    path: `${path}/pdf`,
    summary: 'Get an invoice as a PDF',
    description: 'With its fonts embedded, and the same bytes for the same invoice and customer.',
    params: InvoicePath,
    document: 'application/pdf',
    answer: Type.String({ description: 'The bytes of the document.' }),
    refuses: ['not_found'],
    present: (document: Document) => document,
    verb: ({ caller, params }) => renderInvoice(deps, caller, params.invoice_id),
  }),
  operation({
    id: 'invoices.finalize',
    method: 'POST',
    path: `${path}/finalize`,
    summary: 'Finalize an invoice',
    description:
      'Gives it its number, sets credit against it and begins to collect it. Drafts are finalized by themselves; this does it now.',
    params: InvoicePath,
    answer: InvoiceObject,
    refuses: ['not_found', 'conflict', 'invalid_state', 'test_clock_advancing'],
    present,
    version,
    verb: ({ caller, params }) =>
      actInTime(deps, caller, params.invoice_id, (inTime) =>
        finalizeInvoice(inTime, caller, params.invoice_id),
      ),
  }),
  operation({
    id: 'invoices.pay',
    method: 'POST',
    path: `${path}/pay`,
    summary: 'Pay an invoice',
    description:
      'Tries now to collect it, and answers at once: `payment_state` and events tell what comes of it. With `out_of_band` nothing is charged: you have the money already.',
    params: InvoicePath,
    body: PayInvoice,
    answer: InvoiceObject,
    refuses: [
      ...(['not_found', 'conflict', 'invalid_state', 'payment_in_progress'] as const),
      ...(['reference_not_found', 'test_clock_advancing'] as const),
    ],
    present,
    version,
    verb: ({ caller, params, body }) =>
      actInTime(deps, caller, params.invoice_id, (inTime) =>
        payInvoice(inTime, caller, params.invoice_id, body),
      ),
  }),
  operation({
    id: 'invoices.void',
    method: 'POST',
    path: `${path}/void`,
    summary: 'Make an invoice void',
    description: 'It is owed no more. Credit that was set against it goes back to the customer.',
    params: InvoicePath,
    answer: InvoiceObject,
    refuses: ['not_found', 'conflict', 'invalid_state', 'payment_in_progress', 'test_clock_advancing'],
    present,
    version,
    verb: ({ caller, params }) =>
      actInTime(deps, caller, params.invoice_id, (inTime) => voidInvoice(inTime, caller, params.invoice_id)),
  }),
  operation({
    id: 'invoices.mark_uncollectible',
    method: 'POST',
    path: `${path}/mark-uncollectible`,
    summary: 'Give an invoice up',
    description: 'Nothing more is tried by itself. It can still be paid.',
    params: InvoicePath,
    answer: InvoiceObject,
    refuses: ['not_found', 'conflict', 'invalid_state', 'payment_in_progress', 'test_clock_advancing'],
    present,
    version,
    verb: ({ caller, params }) =>
      actInTime(deps, caller, params.invoice_id, (inTime) =>
        markUncollectible(inTime, caller, params.invoice_id),
      ),
  }),
]

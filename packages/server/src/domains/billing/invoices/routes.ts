import { Type } from 'typebox'
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { OneOf } from '../../../kernel/shapes.ts'
import { type Document, operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf, TestClocks } from '../../../platform/http/pagination.ts'
import type { Invoice, Line } from './invoice.ts'
import { statuses } from './machine.ts'
import { XmlQuery } from './schema/xml.ts'
import { InvoiceObject, InvoicePath, LineObject, PayInvoice, present, presentLine } from './schema.ts'
import { payInvoice } from './service/collect.ts'
import { markUncollectible, voidInvoice } from './service/end.ts'
import { finalizeInvoice } from './service/finalize.ts'
import { runOnTestClock } from './service/on-test-clock.ts'
import { renderInvoice } from './service/pdf.ts'
import { getInvoice, listInvoiceLines, listInvoices } from './service/read.ts'
import { writeInvoiceXml } from './service/xml.ts'

const path = '/invoices/:invoice_id'
const version = (invoice: Invoice) => invoice.version

type LinePage = { readonly invoice: Invoice; readonly rows: readonly Line[]; readonly hasMore: boolean }
const presentLines = (page: LinePage) => presentPage(`/invoices/${page.invoice.id}/lines`, presentLine)(page)

type InvoicesPage = { readonly rows: readonly Invoice[]; readonly hasMore: boolean }

function presentWithUrl(deps: Deps, caller: Caller, invoice: Invoice) {
  return present(invoice, deps.pagesOf(caller.workspaceId))
}

export const invoiceOperations = (deps: Deps) => [
  operation({
    id: 'invoices.list',
    method: 'GET',
    path: '/invoices',
    summary: 'List invoices',
    description: 'Returns invoices, newest first. Can be filtered by customer, subscription or status.',
    query: PageQuery({
      customer_id: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only invoices of this customer.' }),
      ),
      subscription_id: Type.Optional(
        Type.String({ maxLength: 100, description: 'Only invoices of this subscription.' }),
      ),
      status: Type.Optional(OneOf(statuses, { description: 'Only invoices with this status.' })),
      test_clocks: TestClocks,
    }),
    response: PageOf(InvoiceObject),
    errors: ['invalid_cursor'],
    present: (page: InvoicesPage, { caller }) =>
      presentPage('/invoices', (invoice: Invoice) => presentWithUrl(deps, caller, invoice))(page),
    handle: ({ caller, query }) => listInvoices(deps, caller, rangeOf('invoice', caller.mode, query), query),
  }),
  operation({
    id: 'invoices.get',
    method: 'GET',
    path,
    summary: 'Get an invoice',
    description: 'Returns an invoice with its lines and its collection status.',
    params: InvoicePath,
    response: InvoiceObject,
    errors: ['not_found'],
    present: (invoice: Invoice, { caller }) => presentWithUrl(deps, caller, invoice),
    version,
    handle: ({ caller, params }) => getInvoice(deps, caller, params.invoice_id),
  }),
  operation({
    id: 'invoices.lines',
    method: 'GET',
    path: `${path}/lines`,
    summary: 'List the lines of an invoice',
    description: 'Returns the invoice lines. Each line explains how its amount was calculated.',
    params: InvoicePath,
    query: PageQuery({}),
    response: PageOf(LineObject),
    errors: ['not_found', 'invalid_cursor'],
    present: presentLines,
    handle: ({ caller, params, query }) =>
      listInvoiceLines(deps, caller, params.invoice_id, rangeOf('invoice_line', caller.mode, query)),
  }),
  operation({
    id: 'invoices.pdf',
    method: 'GET',
    path: `${path}/pdf`,
    summary: 'Get an invoice as a PDF',
    description:
      'Returns a PDF with embedded fonts, in the language of the customer. An unchanged invoice always produces an identical PDF. The PDF of a finalized invoice that meets the rules of EN 16931 also contains the e-invoice as `factur-x.xml` (Factur-X, ZUGFeRD).',
    params: InvoicePath,
    document: 'application/pdf',
    response: Type.String({ description: 'The PDF document.' }),
    errors: ['not_found'],
    present: (document: Document) => document,
    handle: ({ caller, params }) => renderInvoice(deps, caller, params.invoice_id),
  }),
  operation({
    id: 'invoices.xml',
    method: 'GET',
    path: `${path}/xml`,
    summary: 'Get an invoice as an e-invoice',
    description:
      'Returns the finalized invoice as XML according to EN 16931. It states what was invoiced: later payments and credit notes do not change it.',
    params: InvoicePath,
    query: XmlQuery,
    document: 'application/xml',
    response: Type.String({ description: 'The XML document.' }),
    errors: ['not_found', 'invalid_state', 'e_invoice_incomplete'],
    present: (document: Document) => document,
    handle: ({ caller, params, query }) => writeInvoiceXml(deps, caller, params.invoice_id, query),
  }),
  operation({
    id: 'invoices.finalize',
    method: 'POST',
    path: `${path}/finalize`,
    summary: 'Finalize an invoice',
    description:
      'Assigns the invoice number, applies credit and starts collection. Drafts of subscriptions are finalized automatically; this call does it now.',
    params: InvoicePath,
    response: InvoiceObject,
    errors: ['not_found', 'conflict', 'invalid_state', 'legal_fields_missing', 'test_clock_advancing'],
    present: (invoice: Invoice, { caller }) => presentWithUrl(deps, caller, invoice),
    version,
    handle: ({ caller, params }) =>
      runOnTestClock(deps, caller, params.invoice_id, (clockDeps) =>
        finalizeInvoice(clockDeps, caller, params.invoice_id),
      ),
  }),
  operation({
    id: 'invoices.pay',
    method: 'POST',
    path: `${path}/pay`,
    summary: 'Pay an invoice',
    description:
      'Starts a collection attempt and returns immediately. The result is reported by `payment_state` and by events. With `out_of_band`, the invoice is marked as paid and nothing is charged.',
    params: InvoicePath,
    body: PayInvoice,
    response: InvoiceObject,
    errors: [
      'not_found',
      'conflict',
      'invalid_state',
      'payment_in_progress',
      'reference_not_found',
      'test_clock_advancing',
    ],
    present: (invoice: Invoice, { caller }) => presentWithUrl(deps, caller, invoice),
    version,
    handle: ({ caller, params, body }) =>
      runOnTestClock(deps, caller, params.invoice_id, (clockDeps) =>
        payInvoice(clockDeps, caller, params.invoice_id, body),
      ),
  }),
  operation({
    id: 'invoices.void',
    method: 'POST',
    path: `${path}/void`,
    summary: 'Void an invoice',
    description:
      'Voids the invoice, so that it is no longer owed. Credit that was applied to it is returned to the customer. A credit note with the reason `void` reverses what earlier credit notes have left of the invoice.',
    params: InvoicePath,
    response: InvoiceObject,
    errors: ['not_found', 'conflict', 'invalid_state', 'payment_in_progress', 'test_clock_advancing'],
    present: (invoice: Invoice, { caller }) => presentWithUrl(deps, caller, invoice),
    version,
    handle: ({ caller, params }) =>
      runOnTestClock(deps, caller, params.invoice_id, (clockDeps) =>
        voidInvoice(clockDeps, caller, params.invoice_id),
      ),
  }),
  operation({
    id: 'invoices.mark_uncollectible',
    method: 'POST',
    path: `${path}/mark-uncollectible`,
    summary: 'Mark an invoice uncollectible',
    description: 'Stops automatic collection. The invoice can still be paid.',
    params: InvoicePath,
    response: InvoiceObject,
    errors: ['not_found', 'conflict', 'invalid_state', 'payment_in_progress', 'test_clock_advancing'],
    present: (invoice: Invoice, { caller }) => presentWithUrl(deps, caller, invoice),
    version,
    handle: ({ caller, params }) =>
      runOnTestClock(deps, caller, params.invoice_id, (clockDeps) =>
        markUncollectible(clockDeps, caller, params.invoice_id),
      ),
  }),
]

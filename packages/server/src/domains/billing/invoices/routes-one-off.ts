/** Operations of one-off invoices: drafts, their lines, and sending. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { operation } from '../../../platform/http/operation.ts'
import type { Invoice } from './invoice.ts'
import {
  CreateInvoice,
  InvoiceLineInput,
  InvoiceLinePath,
  InvoicePreviewObject,
  presentPreview,
  UpdateInvoice,
} from './schema/one-off.ts'
import { InvoiceObject, InvoicePath, present } from './schema.ts'
import { runOnTestClock } from './service/on-test-clock.ts'
import {
  addInvoiceLine,
  createInvoice,
  deleteInvoice,
  deleteInvoiceLine,
  previewInvoice,
  updateInvoice,
  updateInvoiceLine,
} from './service/one-off.ts'
import { sendInvoice } from './service/send.ts'

const path = '/invoices/:invoice_id'
const linePath = `${path}/lines/:invoice_line_id`
const editErrors = ['not_found', 'conflict', 'invalid_state', 'test_clock_advancing'] as const
const lineErrors = [...editErrors, 'reference_not_found', 'price_inactive'] as const

const invoiceResponse = (deps: Deps) => ({
  response: InvoiceObject,
  present: (invoice: Invoice, { caller }: { readonly caller: Caller }) =>
    present(invoice, deps.pagesOf(caller.workspaceId)),
  version: (invoice: Invoice) => invoice.version,
})

const creationOperations = (deps: Deps) => [
  operation({
    id: 'invoices.create',
    method: 'POST',
    path: '/invoices',
    summary: 'Create a one-off invoice',
    description:
      'Creates a draft without a subscription. It stays a draft until it is finalized or sent. Its lines can be changed until then.',
    body: CreateInvoice,
    status: 201,
    errors: [
      'reference_not_found',
      'invalid_state',
      'price_inactive',
      'discount_not_applicable',
      'test_clock_advancing',
    ],
    ...invoiceResponse(deps),
    handle: ({ caller, body }) => createInvoice(deps, caller, body),
  }),
  operation({
    id: 'invoices.preview',
    method: 'POST',
    path: '/invoices/preview',
    summary: 'Preview a one-off invoice',
    description: 'Returns the amounts that an invoice with this body would have. Nothing is stored.',
    body: CreateInvoice,
    response: InvoicePreviewObject,
    errors: ['reference_not_found', 'price_inactive', 'discount_not_applicable'],
    present: presentPreview,
    handle: ({ caller, body }) => previewInvoice(deps, caller, body),
  }),
]

const draftOperations = (deps: Deps) => [
  operation({
    id: 'invoices.update',
    method: 'PUT',
    path,
    summary: 'Update a draft',
    description: 'Changes a draft of a one-off invoice. Omitted fields are unchanged.',
    params: InvoicePath,
    body: UpdateInvoice,
    errors: [...editErrors, 'reference_not_found', 'version_mismatch', 'discount_not_applicable'],
    takesIfMatch: true,
    ...invoiceResponse(deps),
    handle: ({ caller, params, body, ifMatch }) =>
      runOnTestClock(deps, caller, params.invoice_id, (clockDeps) =>
        updateInvoice(clockDeps, caller, params.invoice_id, { ...body, ifMatch }),
      ),
  }),
  operation({
    id: 'invoices.delete',
    method: 'DELETE',
    path,
    summary: 'Delete a draft',
    description:
      'Discards a draft of a one-off invoice. It gets no number, and its status becomes `void`. An invoice with a number cannot be deleted, only voided.',
    params: InvoicePath,
    errors: editErrors,
    ...invoiceResponse(deps),
    handle: ({ caller, params }) =>
      runOnTestClock(deps, caller, params.invoice_id, (clockDeps) =>
        deleteInvoice(clockDeps, caller, params.invoice_id),
      ),
  }),
  operation({
    id: 'invoices.send',
    method: 'POST',
    path: `${path}/send`,
    summary: 'Send an invoice',
    description:
      'Sends the invoice to the customer by e-mail, with a link to its hosted page. A draft is finalized first. Each call sends one e-mail.',
    params: InvoicePath,
    errors: [...editErrors, 'legal_fields_missing'],
    ...invoiceResponse(deps),
    handle: ({ caller, params }) =>
      runOnTestClock(deps, caller, params.invoice_id, (clockDeps) =>
        sendInvoice(clockDeps, caller, params.invoice_id),
      ),
  }),
]

const lineOperations = (deps: Deps) => [
  operation({
    id: 'invoices.add_line',
    method: 'POST',
    path: `${path}/lines`,
    summary: 'Add a line to a draft',
    description: 'Adds a line to a draft of a one-off invoice, and returns the invoice with its new total.',
    params: InvoicePath,
    body: InvoiceLineInput,
    status: 201,
    errors: [...lineErrors, 'limit_reached'],
    ...invoiceResponse(deps),
    handle: ({ caller, params, body }) =>
      runOnTestClock(deps, caller, params.invoice_id, (clockDeps) =>
        addInvoiceLine(clockDeps, caller, params.invoice_id, body),
      ),
  }),
  operation({
    id: 'invoices.update_line',
    method: 'PUT',
    path: linePath,
    summary: 'Update a line of a draft',
    description:
      'Changes a line of a draft of a one-off invoice, and returns the invoice with its new total. Omitted fields are unchanged.',
    params: InvoiceLinePath,
    body: InvoiceLineInput,
    errors: lineErrors,
    ...invoiceResponse(deps),
    handle: ({ caller, params, body }) =>
      runOnTestClock(deps, caller, params.invoice_id, (clockDeps) =>
        updateInvoiceLine(clockDeps, caller, params, body),
      ),
  }),
  operation({
    id: 'invoices.delete_line',
    method: 'DELETE',
    path: linePath,
    summary: 'Delete a line of a draft',
    description:
      'Removes a line from a draft of a one-off invoice, and returns the invoice with its new total.',
    params: InvoiceLinePath,
    errors: editErrors,
    ...invoiceResponse(deps),
    handle: ({ caller, params }) =>
      runOnTestClock(deps, caller, params.invoice_id, (clockDeps) =>
        deleteInvoiceLine(clockDeps, caller, params),
      ),
  }),
]

export const oneOffInvoiceOperations = (deps: Deps) => [
  ...creationOperations(deps),
  ...draftOperations(deps),
  ...lineOperations(deps),
]

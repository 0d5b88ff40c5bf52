import type { WorkType } from '../../../deps.ts'
import { dueForOwner, dueIn } from '../../../platform/db/due.ts'
import { applyPaymentResult } from './service/apply-payment-result.ts'
import { collectInvoice } from './service/collect.ts'
import { finalizeSeries } from './service/finalize.ts'
import { eraseCustomerParty } from './service/parties.ts'
import { reopenInvoice } from './service/reopen.ts'
import { computeTax } from './service/tax.ts'
import { recordTaxDocuments } from './service/tax-documents.ts'
import { dueForPaymentResult, isReturnedDebit } from './store/due.ts'

export const finalizeInvoices: WorkType<'invoice_series'> = {
  name: 'invoice.finalize',
  objectKind: 'invoice_series',
  onTestClocks: true,
  due: dueForOwner({
    work: 'invoice.finalize',
    kind: 'invoice_series',
    table: 'invoices',
    column: 'finalize_at',
    owner: 'series_id',
    onTestClocks: true,
  }),
  handle: finalizeSeries,
}

export const computeTaxes: WorkType<'invoice'> = {
  name: 'invoice.tax',
  objectKind: 'invoice',
  onTestClocks: true,
  due: dueForOwner({
    work: 'invoice.tax',
    kind: 'invoice',
    table: 'invoice_taxes',
    column: 'due_at',
    owner: 'invoice_id',
    onTestClocks: true,
  }),
  handle: computeTax,
}

export const recordTaxes: WorkType<'invoice'> = {
  name: 'invoice.tax_commit',
  objectKind: 'invoice',
  onTestClocks: true,
  due: dueForOwner({
    work: 'invoice.tax_commit',
    kind: 'invoice',
    table: 'tax_documents',
    column: 'due_at',
    owner: 'invoice_id',
    onTestClocks: true,
  }),
  handle: recordTaxDocuments,
}

export const collectInvoices: WorkType<'invoice'> = {
  name: 'invoice.collect',
  objectKind: 'invoice',
  onTestClocks: true,
  due: dueIn({
    work: 'invoice.collect',
    kind: 'invoice',
    table: 'invoices',
    column: 'collect_at',
    onTestClocks: true,
  }),
  handle: collectInvoice,
}

export const reopenInvoices: WorkType<'invoice'> = {
  name: 'invoice.reopen',
  objectKind: 'invoice',
  onTestClocks: true,
  due: dueForOwner({
    work: 'invoice.reopen',
    kind: 'invoice',
    table: 'payments',
    column: 'due_at',
    only: isReturnedDebit,
    owner: 'invoice_id',
    onTestClocks: true,
  }),
  handle: reopenInvoice,
}

export const applyPaymentResults: WorkType<'invoice'> = {
  name: 'invoice.settle',
  objectKind: 'invoice',
  onTestClocks: true,
  due: (db, now, limit) => dueForPaymentResult(db, 'invoice.settle', now, limit),
  handle: applyPaymentResult,
}

export const eraseParties: WorkType<'invoice'> = {
  name: 'invoice.erase_parties',
  objectKind: 'invoice',
  due: dueIn({
    work: 'invoice.erase_parties',
    kind: 'invoice',
    table: 'invoices',
    column: 'erase_parties_at',
  }),
  handle: eraseCustomerParty,
}

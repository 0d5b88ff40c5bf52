import type { Work } from '../../deps.ts'
import { dueForOwner, dueIn } from '../../platform/db/due.ts'
import { collectInvoice } from './service/collect.ts'
import { finalizeSeries } from './service/finalize.ts'
import { settleInvoice } from './service/settle.ts'
import { dueForSettling } from './store/due.ts'

export const finalizeInvoices: Work<'invoice_series'> = {
  name: 'invoice.finalize',
  key: 'invoice_series',
  onClocks: true,
  due: dueForOwner({
    ...{ work: 'invoice.finalize', kind: 'invoice_series', table: 'invoices', column: 'finalize_at' },
    ...{ owner: 'series_id', onClocks: true },
  }),
  handle: finalizeSeries,
}

export const collectInvoices: Work<'invoice'> = {
  name: 'invoice.collect',
  key: 'invoice',
  onClocks: true,
  due: dueIn({
    ...{ work: 'invoice.collect', kind: 'invoice', table: 'invoices', column: 'collect_at' },
    onClocks: true,
  }),
  handle: collectInvoice,
}

export const settleInvoices: Work<'invoice'> = {
  name: 'invoice.settle',
  key: 'invoice',
  onClocks: true,
  due: (db, now, limit) => dueForSettling(db, 'invoice.settle', now, limit),
  handle: settleInvoice,
}

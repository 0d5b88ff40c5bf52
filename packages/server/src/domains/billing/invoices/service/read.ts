/** Reads invoices and their lines. */
import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { uuidInFilter } from '../../../../kernel/filters.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import type { Invoice } from '../invoice.ts'
import type { Status } from '../machine.ts'
import * as store from '../store/invoices.ts'
import { listLines } from '../store/lines.ts'

export type { Invoice, Line } from '../invoice.ts'
export { keptOf, remainingOf } from '../invoice.ts'
export { keptOfUsage } from '../store/lines.ts'
export { taxNoteOf } from '../tax-notes.ts'

export function getInvoice(deps: Deps, caller: Caller, id: string): Promise<Invoice> {
  return read(deps, caller, (view) => store.findInvoice(view, id))
}

export type InvoiceQuery = {
  readonly customer_id?: string | undefined
  readonly subscription_id?: string | undefined
  readonly status?: Status | undefined
}

export function listInvoices(deps: Deps, caller: Caller, range: IdRange, query: InvoiceQuery) {
  const filter = {
    customerUuid: uuidInFilter('customer', caller.mode, query.customer_id),
    subscriptionUuid: uuidInFilter('subscription', caller.mode, query.subscription_id),
    status: query.status ?? null,
  }
  return read(deps, caller, (view) => store.listInvoices(view, range, filter))
}

export function listInvoiceLines(deps: Deps, caller: Caller, id: string, range: IdRange) {
  return read(deps, caller, async (view) => {
    const invoice = await store.findInvoice(view, id)
    return { invoice, ...(await listLines(view, invoice.id, range)) }
  })
}

/** Search, reports, the ledger, exports, objects that need attention, and health checks. */
import { type List, listOf, paginatedList } from './list.ts'
import { encodeId } from './query.ts'
import type { Answered, CallOptions, DeleteOptions, Send, UpdateOptions, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function searchOf(send: Send) {
  /** By id, provider reference, order number, e-mail address, invoice number, or card and amount (`4242 40.00`). */
  return (q: string, options?: CallOptions): Promise<Answered<api.Page<api.SearchHit>>> =>
    send({ method: 'GET', path: '/search', query: { q }, options })
}

export function attentionOf(send: Send) {
  return {
    /** Lists what needs attention now, the most severe first. */
    list: (options?: CallOptions): List<api.Concern> =>
      listOf(() => send({ method: 'GET', path: '/attention', options })),
  }
}

export function balancesOf(send: Send) {
  return {
    /** Lists the balances of all accounts of the ledger; with `as_of`, at the end of that day in UTC. */
    list: (query?: api.ListBalances, options?: CallOptions): List<api.Balance> =>
      listOf(() => send({ method: 'GET', path: '/balances', query: { ...query }, options })),
  }
}

export function ledgerPostingsOf(send: Send) {
  return {
    /** Lists postings, for example those of a payment, an invoice or a customer. */
    list: (query?: api.ListLedgerPostings, options?: CallOptions): List<api.LedgerPosting> =>
      paginatedList(send, '/ledger-postings', query, options),
  }
}

export function exportsOf(send: Send) {
  const path = '/exports'
  return {
    /** Starts an export of the objects of a period to a file. */
    create: (body: api.CreateExport, options?: WriteOptions): Promise<Answered<api.Export>> =>
      send({ method: 'POST', path, body, options }),
    /** Retrieves an export: its progress, and its file once it is completed. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.Export>> =>
      send({ method: 'GET', path: `${path}/${encodeId(id)}`, options }),
    /** Lists exports, newest first. */
    list: (query?: api.ListExports, options?: CallOptions): List<api.Export> =>
      paginatedList(send, path, query, options),
    /** A link to the file. It works for 15 minutes and needs no token. */
    download: (id: string, options?: CallOptions): Promise<Answered<api.ExportDownload>> =>
      send({ method: 'GET', path: `${path}/${encodeId(id)}/download`, options }),
    /** Stops an export and deletes what it has written. */
    cancel: (id: string, options?: WriteOptions): Promise<Answered<api.Export>> =>
      send({ method: 'POST', path: `${path}/${encodeId(id)}/cancel`, options }),
  }
}

export function exportDestinationsOf(send: Send) {
  const path = '/export-destinations'
  return {
    /** Exports the changes of each day, from today on, to a bucket of S3-compatible storage. */
    create: (
      body: api.CreateExportDestination,
      options?: WriteOptions,
    ): Promise<Answered<api.ExportDestination>> => send({ method: 'POST', path, body, options }),
    /** Retrieves a destination, and why the last attempt failed. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.ExportDestination>> =>
      send({ method: 'GET', path: `${path}/${encodeId(id)}`, options }),
    /** Lists destinations, newest first. */
    list: (query?: api.ListExportDestinations, options?: CallOptions): List<api.ExportDestination> =>
      paginatedList(send, path, query, options),
    /** Changes a destination. A new endpoint URL or access key requires the secret again. */
    update: (
      id: string,
      body: api.UpdateExportDestination,
      options?: UpdateOptions,
    ): Promise<Answered<api.ExportDestination>> =>
      send({ method: 'PUT', path: `${path}/${encodeId(id)}`, body, options }),
    /** Deletes a destination and its secret. Files in the bucket are not deleted. */
    delete: (id: string, options?: DeleteOptions): Promise<Answered<api.DeletedExportDestination>> =>
      send({ method: 'DELETE', path: `${path}/${encodeId(id)}`, options }),
    /** Writes a small file to the bucket, and returns the destination with the result. */
    check: (id: string, options?: WriteOptions): Promise<Answered<api.ExportDestination>> =>
      send({ method: 'POST', path: `${path}/${encodeId(id)}/check`, options }),
  }
}

export function journalSettingsOf(send: Send) {
  const path = '/journal-settings'
  return {
    /** The number and the name of each account of the ledger in your accounting software. */
    get: (options?: CallOptions): Promise<Answered<api.JournalSettings>> =>
      send({ method: 'GET', path, options }),
    /** Changes numbers, names and settings. Accounts that are not in the request stay unchanged. */
    update: (
      body: api.UpdateJournalSetting,
      options?: WriteOptions,
    ): Promise<Answered<api.JournalSettings>> => send({ method: 'PUT', path, body, options }),
  }
}

export function reportsOf(send: Send) {
  return {
    /** Payment outcomes; by default per hour for the last day. */
    payments: (query?: api.PaymentsReports, options?: CallOptions): Promise<Answered<api.PaymentsReport>> =>
      send({ method: 'GET', path: '/reports/payments', query: { ...query }, options }),
    /** Recurring revenue, revenue at risk, and revenue recovered by dunning. */
    billing: (query?: api.BillingReports, options?: CallOptions): Promise<Answered<api.BillingReport>> =>
      send({ method: 'GET', path: '/reports/billing', query: { ...query }, options }),
    /** The billing report per day; by default for the last 30 days. */
    billingHistory: (
      query?: api.BillingHistoryReports,
      options?: CallOptions,
    ): Promise<Answered<api.BillingHistory>> =>
      send({ method: 'GET', path: '/reports/billing/history', query: { ...query }, options }),
  }
}

export function systemOf(send: Send) {
  return {
    /** The checks of `switchyard doctor`. Requires the ADMIN role. */
    get: (options?: CallOptions): Promise<Answered<api.System>> =>
      send({ method: 'GET', path: '/system', options }),
  }
}

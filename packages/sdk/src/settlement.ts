/** Settlement reports, their lines, and payouts. */
import { type List, paginatedList } from './list.ts'
import { encodeId } from './query.ts'
import type { Answered, CallOptions, Send, UploadContent, WriteOptions } from './send.ts'
import type * as api from './types.generated.ts'

export function settlementImportsOf(send: Send) {
  const path = '/settlement-imports'
  return {
    /** Creates an import for one settlement report. Then upload the file. */
    create: (
      body: api.CreateSettlementImport,
      options?: WriteOptions,
    ): Promise<Answered<api.SettlementImport>> => send({ method: 'POST', path, body, options }),
    /**
     * Uploads the file. Its lines are stored while it is sent. A stream is sent once; other content is sent again after a
     * connection error. The default timeout is one hour.
     */
    upload: (
      id: string,
      file: UploadContent,
      options?: WriteOptions,
    ): Promise<Answered<api.SettlementImport>> =>
      send({
        method: 'PUT',
        path: `${path}/${encodeId(id)}/content`,
        file,
        options: { timeoutMs: 3_600_000, ...options },
      }),
    /** Retrieves an import with its progress. */
    get: (id: string, options?: CallOptions): Promise<Answered<api.SettlementImport>> =>
      send({ method: 'GET', path: `${path}/${encodeId(id)}`, options }),
    /** Lists imports, for example those of a provider account. */
    list: (query?: api.ListSettlementImports, options?: CallOptions): List<api.SettlementImport> =>
      paginatedList(send, path, query, options),
  }
}

export function settlementLinesOf(send: Send) {
  const path = '/settlement-lines'
  return {
    /** Lists lines, for example those that differ or are missing. */
    list: (query?: api.ListSettlementLines, options?: CallOptions): List<api.SettlementLine> =>
      paginatedList(send, path, query, options),
    /** Resolves a line that differs or is missing. */
    resolve: (
      id: string,
      body: api.ResolveSettlementLine,
      options?: WriteOptions,
    ): Promise<Answered<api.SettlementLine>> =>
      send({ method: 'POST', path: `${path}/${encodeId(id)}/resolve`, body, options }),
  }
}

export function reconciliationOf(send: Send) {
  return {
    /** Retrieves the number of settlement lines per status. */
    get: (options?: CallOptions): Promise<Answered<api.Reconciliation>> =>
      send({ method: 'GET', path: '/reconciliation', options }),
  }
}

export function payoutsOf(send: Send) {
  return {
    /** Lists payouts, for example those of a provider account. */
    list: (query?: api.ListPayouts, options?: CallOptions): List<api.Payout> =>
      paginatedList(send, '/payouts', query, options),
  }
}

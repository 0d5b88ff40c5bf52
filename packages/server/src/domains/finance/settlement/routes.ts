import type { Deps } from '../../../deps.ts'
import { operation, type UploadedFile } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import {
  CreateSettlementImport,
  ImportPath,
  LinePath,
  ListPayouts,
  ListSettlementImports,
  ListSettlementLines,
  PayoutObject,
  presentImport,
  presentLine,
  presentPayout,
  presentReconciliation,
  ReconciliationObject,
  ResolveSettlementLine,
  SettlementImportObject,
  SettlementLineObject,
} from './schema.ts'
import { createImport } from './service/create.ts'
import { getImport, getReconciliation, listImports, listLines, listPayouts } from './service/list.ts'
import { resolveLine } from './service/resolve.ts'
import { uploadContent } from './service/upload.ts'

export const settlementOperations = (deps: Deps) => [
  operation({
    id: 'settlement_imports.create',
    method: 'POST',
    path: '/settlement-imports',
    summary: 'Create a settlement import',
    description:
      'Creates an import for one settlement report of a provider account. Then upload the file. `mapping` and `settle_days` are saved for later imports of the provider account.',
    body: CreateSettlementImport,
    status: 201,
    response: SettlementImportObject,
    errors: ['reference_not_found'],
    present: presentImport,
    handle: ({ caller, body }) => createImport(deps, caller, body),
  }),
  operation({
    id: 'settlement_imports.upload',
    method: 'PUT',
    path: '/settlement-imports/:settlement_import_id/content',
    summary: 'Upload the file of a settlement import',
    description:
      'Stores the lines of the file while it is received, and returns the import with the status `matching`. The body is the file; its size is not limited. A line that an earlier import contained is not stored again, so an interrupted upload can be repeated. One file is uploaded at a time per installation.',
    params: ImportPath,
    upload: 'text/csv',
    response: SettlementImportObject,
    errors: [
      'not_found',
      'invalid_state',
      'invalid_settlement_file',
      'settlement_import_running',
      'conflict',
    ],
    // The file is not compared: an upload of the same file is recognized by its lines.
    bodyForIdempotency: () => null,
    present: presentImport,
    handle: ({ caller, params, body }) =>
      uploadContent(deps, caller, params.settlement_import_id, body as UploadedFile),
  }),
  operation({
    id: 'settlement_imports.get',
    method: 'GET',
    path: '/settlement-imports/:settlement_import_id',
    summary: 'Get a settlement import',
    description: 'Returns a settlement import with its progress.',
    params: ImportPath,
    response: SettlementImportObject,
    errors: ['not_found'],
    present: presentImport,
    version: (settlementImport) => settlementImport.version,
    handle: ({ caller, params }) => getImport(deps, caller, params.settlement_import_id),
  }),
  operation({
    id: 'settlement_imports.list',
    method: 'GET',
    path: '/settlement-imports',
    summary: 'List settlement imports',
    description: 'Returns settlement imports, newest first. Can be filtered by provider account.',
    query: PageQuery(ListSettlementImports),
    response: PageOf(SettlementImportObject),
    errors: ['invalid_cursor'],
    present: presentPage('/settlement-imports', presentImport),
    handle: ({ caller, query }) =>
      listImports(deps, caller, rangeOf('settlement_import', caller.mode, query), query),
  }),
  operation({
    id: 'settlement_lines.list',
    method: 'GET',
    path: '/settlement-lines',
    summary: 'List settlement lines',
    description:
      'Returns the lines of settlement reports, and captures and refunds without a line, by the time of the transaction, newest first. Can be filtered by status.',
    query: PageQuery(ListSettlementLines),
    response: PageOf(SettlementLineObject),
    errors: ['invalid_cursor'],
    present: presentPage('/settlement-lines', presentLine),
    handle: ({ caller, query }) =>
      listLines(deps, caller, rangeOf('settlement_line', caller.mode, query), query),
  }),
  operation({
    id: 'settlement_lines.resolve',
    method: 'POST',
    path: '/settlement-lines/:settlement_line_id/resolve',
    summary: 'Resolve a settlement line',
    description:
      'Resolves a line that differs or is missing: `resolution` states what it is. Its amount is moved from `suspense` to the account of the resolution. The note is recorded in the audit log. This cannot be undone.',
    params: LinePath,
    body: ResolveSettlementLine,
    response: SettlementLineObject,
    errors: ['not_found', 'invalid_state', 'conflict'],
    present: presentLine,
    handle: ({ caller, params, body }) => resolveLine(deps, caller, params.settlement_line_id, body),
  }),
  operation({
    id: 'reconciliation.get',
    method: 'GET',
    path: '/reconciliation',
    summary: 'Get the state of the reconciliation',
    description: 'Returns the number of settlement lines per status, in total and per provider account.',
    response: ReconciliationObject,
    present: presentReconciliation,
    handle: ({ caller }) => getReconciliation(deps, caller),
  }),
  operation({
    id: 'payouts.list',
    method: 'GET',
    path: '/payouts',
    summary: 'List payouts',
    description:
      'Returns the payouts of imported settlement reports, newest first. Can be filtered by provider account.',
    query: PageQuery(ListPayouts),
    response: PageOf(PayoutObject),
    errors: ['invalid_cursor'],
    present: presentPage('/payouts', presentPayout),
    handle: ({ caller, query }) => listPayouts(deps, caller, rangeOf('payout', caller.mode, query), query),
  }),
]

import type { Deps } from '../../../deps.ts'
import { operation } from '../../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../../platform/http/pagination.ts'
import { AuditEntryObject, ListAuditEntries, present } from './schema.ts'
import { listAuditEntries } from './service.ts'

export const auditOperations = (deps: Deps) => [
  operation({
    id: 'audit_entries.list',
    method: 'GET',
    path: '/audit-entries',
    summary: 'List audit log entries',
    description: 'Returns the admin actions in the workspace, newest first. At most one filter can be used.',
    query: PageQuery(ListAuditEntries),
    response: PageOf(AuditEntryObject),
    errors: ['invalid_cursor'],
    present: presentPage('/audit-entries', present),
    handle: ({ caller, query }) =>
      listAuditEntries(deps, caller, rangeOf('audit_entry', caller.mode, query), query),
  }),
]

import type { Deps } from '../../deps.ts'
import { operation } from '../../platform/http/operation.ts'
import { PageOf, PageQuery, presentPage, rangeOf } from '../../platform/http/pages.ts'
import { AuditEntryObject, ListAuditEntries, present } from './schema.ts'
import { listAuditEntries } from './service.ts'

export const auditOperations = (deps: Deps) => [
  operation({
    id: 'audit_entries.list',
    method: 'GET',
    path: '/audit-entries',
    summary: 'List the audit log',
    description:
      'Privileged acts of the workspace, newest first: all, or those that one filter lets through. Each is chained to the one before by its hash.',
    query: PageQuery(ListAuditEntries),
    answer: PageOf(AuditEntryObject),
    refuses: ['invalid_cursor'],
    present: presentPage('/audit-entries', present),
    verb: ({ caller, query }) =>
      listAuditEntries(deps, caller, rangeOf('audit_entry', caller.mode, query), query),
  }),
]

/** Filters and formats the entries of the audit log. No side effects. */
import type { AuditEntry, ListAuditEntries } from '@switchyard/sdk'
import type { FilterValues } from '../../../ui/filters.tsx'

export function matchesFilters({ act, source, object }: FilterValues) {
  return (entry: AuditEntry): boolean =>
    (act === undefined || entry.act === act) &&
    (source === undefined || entry.source === source) &&
    (object === undefined || entry.object_id.includes(object))
}

const fullId = /^[a-z_]+_[0-9A-HJKMNP-TV-Z]{26}$/

/** The filter for the API, which accepts one at a time. The other filters are applied to the result. */
export function apiFiltersOf({ act, object }: FilterValues): Pick<ListAuditEntries, 'act' | 'object_id'> {
  if (object !== undefined && fullId.test(object)) return { object_id: object }
  return act === undefined ? {} : { act: act as AuditEntry['act'] }
}

/** "role: ADMIN, overlap_seconds: 3600". */
export function detailsText(details: AuditEntry['details']): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${value ?? '–'}`)
    .join(', ')
}

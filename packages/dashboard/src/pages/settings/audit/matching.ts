/** Which entries of the audit log a filter keeps, and what they say. Pure. */
import type { AuditEntry } from '@switchyard/sdk'
import type { Chosen } from '../../../ui/filters.tsx'

export function keeps({ act, source, object }: Chosen) {
  return (entry: AuditEntry): boolean =>
    (act === undefined || entry.act === act) &&
    (source === undefined || entry.source === source) &&
    (object === undefined || entry.object_id.includes(object))
}

/** "role: ADMIN, overlap_seconds: 3600". */
export function detailsText(details: AuditEntry['details']): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${value ?? '–'}`)
    .join(', ')
}

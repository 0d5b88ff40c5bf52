/** Which entries of the audit log a filter keeps, and what they say. Pure. */
import type { AuditEntry, ListAuditEntries } from '@switchyard/sdk'
import type { Chosen } from '../../../ui/filters.tsx'

export function keeps({ act, source, object }: Chosen) {
  return (entry: AuditEntry): boolean =>
    (act === undefined || entry.act === act) &&
    (source === undefined || entry.source === source) &&
    (object === undefined || entry.object_id.includes(object))
}

const wholeId = /^[a-z_]+_[0-9A-HJKMNP-TV-Z]{26}$/

/** What the API is asked for, which takes one filter at a time. The rest is kept out of what it answers. */
export function askedFor({ act, object }: Chosen): Pick<ListAuditEntries, 'act' | 'object_id'> {
  if (object !== undefined && wholeId.test(object)) return { object_id: object }
  return act === undefined ? {} : { act: act as AuditEntry['act'] }
}

/** "role: ADMIN, overlap_seconds: 3600". */
export function detailsText(details: AuditEntry['details']): string {
  return Object.entries(details)
    .map(([name, value]) => `${name}: ${value ?? '–'}`)
    .join(', ')
}

/** Filters the requests of the log, and groups their errors. No side effects. */
import type { ListRequests, LoggedRequest } from '@switchyard/sdk'
import type { FilterValues } from '../../../ui/filters.tsx'

export const statusClasses = ['2xx', '3xx', '4xx', '5xx']

/** The default source is `api`: requests of servers. */
export function matchesFilters({ method, status, source = 'api', code, path }: FilterValues) {
  return (request: LoggedRequest): boolean =>
    (method === undefined || request.method === method) &&
    (status === undefined ||
      `${Math.floor(request.status / 100)}xx` === status ||
      String(request.status) === status) &&
    (source === 'any' || request.source === source) &&
    (code === undefined || request.error_code === code) &&
    (path === undefined || request.path.includes(path))
}

/** The filter for the API, which accepts one at a time. The other filters are applied to the result. */
export function apiFiltersOf({
  code,
  status,
}: FilterValues): Pick<ListRequests, 'error_code' | 'status_class'> {
  if (code !== undefined) return { error_code: code }
  return status === '4xx' || status === '5xx' ? { status_class: status } : {}
}

export type ErrorCount = { readonly code: string; readonly count: number }

/** The most frequent first. */
export function errorsOf(requests: readonly LoggedRequest[]): readonly ErrorCount[] {
  const codes = requests.map(({ error_code }) => error_code).filter((code) => code !== null)
  return [...Map.groupBy(codes, (code) => code)]
    .map(([code, group]) => ({ code, count: group.length }))
    .toSorted((one, other) => other.count - one.count)
}

/** Which calls of the log a filter keeps, and which errors they are. Pure. */
import type { ListRequests, LoggedRequest } from '@switchyard/sdk'
import type { Chosen } from '../../../ui/filters.tsx'

export const statusClasses = ['2xx', '3xx', '4xx', '5xx']

/** Without a source, those of servers are meant. */
export function keeps({ method, status, source = 'api', code, path }: Chosen) {
  return (request: LoggedRequest): boolean =>
    (method === undefined || request.method === method) &&
    (status === undefined ||
      `${Math.floor(request.status / 100)}xx` === status ||
      String(request.status) === status) &&
    (source === 'any' || request.source === source) &&
    (code === undefined || request.error_code === code) &&
    (path === undefined || request.path.includes(path))
}

/** What the API is asked for, which takes one filter at a time. The rest is kept out of what it answers. */
export function askedFor({ code, status }: Chosen): Pick<ListRequests, 'error_code' | 'status_class'> {
  if (code !== undefined) return { error_code: code }
  return status === '4xx' || status === '5xx' ? { status_class: status } : {}
}

export type ErrorCount = { readonly code: string; readonly count: number }

/** The most frequent first. */
export function errorsOf(requests: readonly LoggedRequest[]): readonly ErrorCount[] {
  const codes = requests.map(({ error_code }) => error_code).filter((code) => code !== null)
  return [...Map.groupBy(codes, (code) => code)]
    .map(([code, same]) => ({ code, count: same.length }))
    .toSorted((one, other) => other.count - one.count)
}

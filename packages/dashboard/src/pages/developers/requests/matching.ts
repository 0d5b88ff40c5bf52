/** Which calls of the log a filter keeps, and which errors they are. Pure. */
import type { LoggedRequest } from '@switchyard/sdk'
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

export type ErrorCount = { readonly code: string; readonly count: number }

/** The most frequent first. */
export function errorsOf(requests: readonly LoggedRequest[]): readonly ErrorCount[] {
  const codes = requests.map(({ error_code }) => error_code).filter((code) => code !== null)
  return [...Map.groupBy(codes, (code) => code)]
    .map(([code, same]) => ({ code, count: same.length }))
    .toSorted((one, other) => other.count - one.count)
}

/** Errors as Mollie reports them. No side effects. */
import type { Reply } from '../../faults.ts'

// biome-ignore format: a table.
const titles: { readonly [status: number]: string } = {
  400: 'Bad Request', 401: 'Unauthorized Request', 403: 'Forbidden', 404: 'Not Found', 405: 'Method Not Allowed',
  409: 'Conflict', 415: 'Unsupported Media Type', 422: 'Unprocessable Entity', 429: 'Too Many Requests',
  500: 'Internal Server Error', 503: 'Service Unavailable',
}

/** `field` is the member of the request that caused the error. */
type ErrorDetails = { readonly field?: string; readonly extra?: object }

export function errorBody(status: number, detail: string, details: ErrorDetails = {}): object {
  const documentation = { href: 'https://docs.mollie.com/overview/handling-errors', type: 'text/html' }
  return { status, title: titles[status], detail, ...details, _links: { documentation } }
}

export function errorReply(status: number, detail: string, details: ErrorDetails = {}): Reply {
  return { status, headers: halJson, body: errorBody(status, detail, details) }
}

/** A member of the request that is missing, unknown or invalid. */
export function invalid(field: string, detail: string): Reply {
  return errorReply(422, detail, { field })
}

export function notFound(id: string): Reply {
  return errorReply(404, `No entity exists with token '${id}'`)
}

export const halJson = { 'content-type': 'application/hal+json' }

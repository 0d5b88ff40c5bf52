/** The response headers in the OpenAPI document: a generated client can only read declared headers. */
import { type Operation, takesKey } from './operation.ts'
import type { JsonObject } from './versions.ts'

const text = { type: 'string' }
const number = { type: 'integer' }

/** Declared once under `components.headers`. */
export const headers: { readonly [name: string]: JsonObject } = {
  'Request-Id': { description: 'ID of this request, for `GET /requests/{request_id}`.', schema: text },
  'Switchyard-Version': { description: 'API version of the response.', schema: text },
  RateLimit: { description: 'Remaining rate limit of the token.', schema: text },
  'RateLimit-Policy': { description: 'Rate limit of the token.', schema: text },
  ETag: { description: 'Version of the object, for `If-Match`.', schema: text },
  'Idempotent-Replayed': {
    description: '`true` if this is the replayed response of an earlier request.',
    schema: text,
  },
  'Original-Request-Id': {
    description: 'ID of the earlier request whose response is replayed.',
    schema: text,
  },
  'Switchyard-Cell-Address': { description: 'Address of the cell that has the workspace.', schema: text },
  'Retry-After': { description: 'Seconds to wait before retrying the request.', schema: number },
}

const commonHeaders = ['Request-Id', 'Switchyard-Version', 'RateLimit', 'RateLimit-Policy']

export function headersOfSuccess({ method, version }: Operation): JsonObject {
  return references([
    ...commonHeaders,
    ...(version === undefined ? [] : ['ETag']),
    ...(takesKey(method) ? ['Idempotent-Replayed', 'Original-Request-Id'] : []),
  ])
}

export function headersOfProblem(status: number): JsonObject {
  const hasRetryAfter = status === 409 || status === 429 || status === 503
  return references([
    'Request-Id',
    ...(hasRetryAfter ? ['Retry-After'] : []),
    ...(status === 421 ? ['Switchyard-Cell-Address'] : []),
  ])
}

function references(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

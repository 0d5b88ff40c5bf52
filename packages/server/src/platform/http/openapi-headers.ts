/** The headers that answers carry, for the OpenAPI document: a generated client can only read what is declared. */
import { type Operation, takesKey } from './operation.ts'
import type { JsonObject } from './versions.ts'

const text = { type: 'string' }
const number = { type: 'integer' }

/** Named once under `components.headers`. */
export const headers: { readonly [name: string]: JsonObject } = {
  'Request-Id': { description: 'The id of this call, for `GET /requests/{request_id}`.', schema: text },
  'Switchyard-Version': { description: 'The version of the answer.', schema: text },
  RateLimit: { description: 'What is left of the limit of the token.', schema: text },
  'RateLimit-Policy': { description: 'The limit of the token.', schema: text },
  ETag: { description: 'The version of the object, for `If-Match`.', schema: text },
  'Idempotent-Replayed': { description: '`true` if this is the answer of an earlier request.', schema: text },
  'Original-Request-Id': { description: 'The id of that earlier request.', schema: text },
  'Retry-After': { description: 'Seconds to wait before repeating the request.', schema: number },
}

const everywhere = ['Request-Id', 'Switchyard-Version', 'RateLimit', 'RateLimit-Policy']

export function headersOfSuccess({ method, version }: Operation): JsonObject {
  return references([
    ...everywhere,
    ...(version === undefined ? [] : ['ETag']),
    ...(takesKey(method) ? ['Idempotent-Replayed', 'Original-Request-Id'] : []),
  ])
}

export function headersOfProblem(status: number): JsonObject {
  const mayWait = status === 409 || status === 429 || status === 503
  return references(['Request-Id', ...(mayWait ? ['Retry-After'] : [])])
}

function references(names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

import { type Static, Type } from 'typebox'
import { sourceOf, sources } from '../../../kernel/caller.ts'
import { CreatedAt, IdOf, nullable, OneOf } from '../../../kernel/shapes.ts'
import type { LoggedRequest } from './logged-request.ts'

export const RequestObject = Type.Object(
  {
    id: IdOf('request'),
    object: Type.Literal('request'),
    api_token_id: nullable(IdOf('api_token')),
    person_id: nullable(
      IdOf('person', 'Person who made the request in the dashboard. Null for an API token.'),
    ),
    source: OneOf(sources, { description: 'Where the request came from.' }),
    method: Type.String({ description: 'HTTP method.', examples: ['POST'] }),
    path: Type.String({
      description: 'Path of the request, without the query.',
      examples: ['/customers'],
    }),
    operation: nullable(
      Type.String({
        description: 'Operation that was called. Null if the path matches none.',
        examples: ['customers.create'],
      }),
    ),
    status: Type.Integer({ description: 'HTTP status of the response.', examples: [201] }),
    error_code: nullable(
      Type.String({ description: 'The `code` of the error. Null if there was no error.' }),
    ),
    api_version: Type.String({
      description: 'API version of the response.',
      examples: ['2026-11-14'],
    }),
    idempotency_key: nullable(
      Type.String({ description: 'Idempotency key of the request. Null if there was none.' }),
    ),
    replayed: Type.Boolean({
      description: 'Whether the response is a replay of an earlier request with the same idempotency key.',
    }),
    duration_ms: Type.Integer({ description: 'Response time in milliseconds.', examples: [12] }),
    request_body: nullable(
      Type.String({
        description:
          'Request body as a JSON string. Free text is redacted; numbers, IDs and enum values are kept.',
      }),
    ),
    response_body: nullable(
      Type.String({ description: 'Response body, redacted like `request_body`. Null for reads.' }),
    ),
    created_at: CreatedAt,
  },
  { $id: 'LoggedRequest', description: 'An API request and its response. Bodies are redacted.' },
)

/**
 * Filters that have an index. There is no filter for successful requests, because most requests succeed and
 * the unfiltered list shows them.
 */
export const ListRequests = {
  status_class: Type.Optional(
    OneOf(['4xx', '5xx'], { description: 'Only requests that failed with a 4xx or a 5xx status.' }),
  ),
  error_code: Type.Optional(
    Type.String({
      maxLength: 100,
      description: 'Only requests with this error code.',
      examples: ['not_found'],
    }),
  ),
}

export const RequestPath = Type.Object({ request_id: IdOf('request') })

export function present(request: LoggedRequest): Static<typeof RequestObject> {
  return {
    id: request.id,
    object: 'request',
    api_token_id: request.tokenId,
    person_id: request.personId,
    source: sourceOf(request),
    method: request.method,
    path: request.path,
    operation: request.operation,
    status: request.status,
    error_code: request.errorCode,
    api_version: request.apiVersion,
    idempotency_key: request.idempotencyKey,
    replayed: request.replayed,
    duration_ms: request.durationMs,
    request_body: request.requestBody,
    response_body: request.responseBody,
    created_at: request.createdAt.toISOString(),
  }
}

import { type Static, Type } from 'typebox'
import { sourceOf, sources } from '../../kernel/caller.ts'
import { IdOf, nullable, OneOf, Time } from '../../kernel/shapes.ts'
import type { LoggedRequest } from './logged-request.ts'

export const RequestObject = Type.Object(
  {
    id: IdOf('request'),
    object: Type.Literal('request'),
    api_token_id: nullable(IdOf('api_token')),
    person_id: nullable(IdOf('person', 'Who called from the dashboard; null for a server.')),
    source: OneOf(sources, { description: 'Where the call came from.' }),
    method: Type.String({ description: 'The HTTP method.', examples: ['POST'] }),
    path: Type.String({
      description: 'The path that was called, without its query.',
      examples: ['/customers'],
    }),
    operation: nullable(
      Type.String({
        description: 'Which operation that is; null if none has this path.',
        examples: ['customers.create'],
      }),
    ),
    status: Type.Integer({ description: 'The HTTP status of the answer.', examples: [201] }),
    error_code: nullable(Type.String({ description: 'The `code` of the answer, if it was refused.' })),
    api_version: Type.String({
      description: 'The version in which it was answered.',
      examples: ['2026-11-14'],
    }),
    idempotency_key: nullable(Type.String({ description: 'The key that came with it.' })),
    replayed: Type.Boolean({
      description: 'Whether the answer was that of an earlier request with the same key.',
    }),
    duration_ms: Type.Integer({ description: 'How long the answer took.', examples: [12] }),
    request_body: nullable(
      Type.String({
        description:
          'JSON text. What a caller typed is struck out; numbers, ids and words of closed lists stay.',
      }),
    ),
    response_body: nullable(Type.String({ description: 'As `request_body`. Null for reads.' })),
    created_at: Time,
  },
  { $id: 'LoggedRequest', description: 'A call of the API as it was answered. Bodies are redacted.' },
)

/** Those that an index serves: most calls succeed, and are found on the way through all of them. */
export const ListRequests = {
  status_class: Type.Optional(
    OneOf(['4xx', '5xx'], { description: 'Only calls that were refused, or that failed.' }),
  ),
  error_code: Type.Optional(
    Type.String({ maxLength: 100, description: 'Only calls with this code.', examples: ['not_found'] }),
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

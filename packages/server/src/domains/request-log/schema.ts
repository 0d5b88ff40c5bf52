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
    method: Type.String(),
    path: Type.String(),
    operation: nullable(Type.String()),
    status: Type.Integer(),
    error_code: nullable(Type.String()),
    api_version: Type.String(),
    idempotency_key: nullable(Type.String()),
    replayed: Type.Boolean({
      description: 'Whether the answer was that of an earlier request with the same key.',
    }),
    duration_ms: Type.Integer(),
    request_body: nullable(
      Type.String({
        description:
          'JSON text. What a caller typed is struck out; numbers, ids and words of closed lists stay.',
      }),
    ),
    response_body: nullable(Type.String({ description: 'As `request_body`. Null for reads.' })),
    created_at: Time,
  },
  { $id: 'LoggedRequest' },
)

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

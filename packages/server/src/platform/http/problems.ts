/** Error responses: RFC 9457, from the catalogue, never with a stack trace or an SQL statement. */
import { type Static, Type } from 'typebox'
import { detailOf, type ErrorCode, errors, type Fault, Refusal } from '../../kernel/errors.ts'
import { refusalOfDatabaseError } from '../db/retries.ts'
import { scrub } from '../log.ts'

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'URL of the page that documents the error code.', loggable: true }),
    title: Type.String({ description: 'Short description of the error code.', loggable: true }),
    status: Type.Integer({ description: 'HTTP status.' }),
    detail: Type.String({ description: 'What is wrong with this request.' }),
    code: Type.String({ description: 'Stable error code. Use it in your error handling.', loggable: true }),
    retryable: Type.Boolean({
      description: 'Whether the same request, with the same idempotency key, may succeed later.',
    }),
    request_id: Type.String({ description: 'ID of the request in your request log.', loggable: true }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({
            description: 'JSON Pointer into the body, the query or the path.',
            loggable: true,
          }),
          code: Type.String({ description: 'Error code of this field.', loggable: true }),
          detail: Type.String({ description: 'Human-readable error message.' }),
        }),
        { description: 'All errors in the request.' },
      ),
    ),
    current_status: Type.Optional(Type.String({ description: 'Current status of the object.' })),
    allowed_actions: Type.Optional(
      Type.Array(Type.String(), { description: 'Actions that are possible in the current status.' }),
    ),
    decline_code: Type.Optional(Type.String({ description: 'Decline code of the payment.', loggable: true })),
    advice_code: Type.Optional(
      Type.String({ description: 'Recommended next step for the payer.', loggable: true }),
    ),
    resource_id: Type.Optional(
      Type.String({
        description: 'Object that the request created, or that it conflicts with.',
        loggable: true,
      }),
    ),
    cell_address: Type.Optional(
      Type.String({ description: 'Address of the cell that has the workspace.', loggable: true }),
    ),
  },
  { $id: 'Problem', description: 'An error response (RFC 9457).' },
)

export type ProblemBody = Static<typeof Problem>

export function problemOf(refusal: Refusal, requestId: string, baseUrl: string): ProblemBody {
  const { code, members } = refusal
  const { status, title, retryable } = errors[code]
  return {
    type: `${baseUrl}/docs/errors/${code}`,
    title,
    status,
    detail: scrub(detailOf(code, members)),
    code,
    retryable,
    request_id: requestId,
    ...(members.errors === undefined ? {} : { errors: members.errors.map(scrubFault) }),
    ...(members.current_status === undefined ? {} : { current_status: members.current_status }),
    ...(members.allowed_actions === undefined ? {} : { allowed_actions: [...members.allowed_actions] }),
    ...(members.decline_code === undefined ? {} : { decline_code: members.decline_code }),
    ...(members.advice_code === undefined ? {} : { advice_code: members.advice_code }),
    ...(members.resource_id === undefined ? {} : { resource_id: members.resource_id }),
    ...(members.cell_address === undefined ? {} : { cell_address: members.cell_address }),
  }
}

/** A pointer contains member names as sent, and those can be anything, even a card number. */
function scrubFault({ pointer, code, detail }: Fault): Fault {
  return { pointer: scrub(pointer), code, detail: scrub(detail) }
}

/** Maps errors of Fastify and Node to our error codes. */
const codesOfForeignErrors: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'body_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'invalid_request',
  FST_ERR_BAD_URL: 'unknown_path',
  FST_ERR_MAX_PARAM_LENGTH: 'not_found',
  FST_ERR_HANDLER_TIMEOUT: 'unavailable',
  FST_ERR_ROUTE_REWRITE_NOT_STR: 'unknown_path',
  ECONNRESET: 'invalid_request',
  ECONNABORTED: 'invalid_request',
}

/** The refusal for an error; null if it is an internal error. */
export function refusalFrom(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error
  const code =
    error instanceof Error && 'code' in error ? codesOfForeignErrors[String(error.code)] : undefined
  return code === undefined ? refusalOfDatabaseError(error) : new Refusal(code, {})
}

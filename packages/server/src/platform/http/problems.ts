/** Every answer that is not a success: RFC 9457, from the catalogue, never with a stack or a statement. */
import { type Static, Type } from 'typebox'
import { type ErrorCode, errors, type Fault, Refusal } from '../../kernel/errors.ts'
import { scrub } from '../log.ts'

export const Problem = Type.Object(
  {
    type: Type.String({ description: 'The address of the page that explains the code.', loggable: true }),
    title: Type.String({ description: 'What the code means, in a few words.', loggable: true }),
    status: Type.Integer({ description: 'The HTTP status.' }),
    detail: Type.String({ description: 'What is wrong with this very request.' }),
    code: Type.String({ description: 'A word that does not change; decide by this one.', loggable: true }),
    retryable: Type.Boolean({
      description: 'Whether the same request, with the same key, may succeed later.',
    }),
    request_id: Type.String({ description: 'Finds the call in your log of calls.', loggable: true }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({
          pointer: Type.String({
            description: 'JSON Pointer into the body, the query or the path.',
            loggable: true,
          }),
          code: Type.String({ description: 'What is wrong with it, as a word.', loggable: true }),
          detail: Type.String({ description: 'What is wrong with it, for people.' }),
        }),
        { description: 'Every fault of the request.' },
      ),
    ),
    current_status: Type.Optional(Type.String({ description: 'The state in which the object is.' })),
    allowed_actions: Type.Optional(
      Type.Array(Type.String(), { description: 'What can be done with it in that state.' }),
    ),
    decline_code: Type.Optional(Type.String({ description: 'Why it was declined.', loggable: true })),
    advice_code: Type.Optional(Type.String({ description: 'What the payer can do.', loggable: true })),
    resource_id: Type.Optional(
      Type.String({ description: 'The object that the request left behind, or met.', loggable: true }),
    ),
  },
  { $id: 'Problem', description: 'Every answer that is not a success (RFC 9457).' },
)

export type ProblemBody = Static<typeof Problem>

export function problemOf(refusal: Refusal, requestId: string, baseUrl: string): ProblemBody {
  const { code, members } = refusal
  const { status, title, detail, retryable } = errors[code]
  return {
    type: `${baseUrl}/docs/errors/${code}`,
    title,
    status,
    detail: scrub(members.detail ?? detail),
    code,
    retryable,
    request_id: requestId,
    ...(members.errors === undefined ? {} : { errors: members.errors.map(scrubFault) }),
    ...(members.current_status === undefined ? {} : { current_status: members.current_status }),
    ...(members.allowed_actions === undefined ? {} : { allowed_actions: [...members.allowed_actions] }),
    ...(members.decline_code === undefined ? {} : { decline_code: members.decline_code }),
    ...(members.advice_code === undefined ? {} : { advice_code: members.advice_code }),
    ...(members.resource_id === undefined ? {} : { resource_id: members.resource_id }),
  }
}

/** A pointer names members as they were sent, and a name may be anything, a card number too. */
function scrubFault({ pointer, code, detail }: Fault): Fault {
  return { pointer: scrub(pointer), code, detail: scrub(detail) }
}

/** What Fastify and Node say when a request cannot be read, in our words. */
const foreign: Record<string, ErrorCode> = {
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

/** The refusal behind an error; null if it is our fault. */
export function refusalBehind(error: unknown): Refusal | null {
  if (error instanceof Refusal) return error
  const code = error instanceof Error && 'code' in error ? foreign[String(error.code)] : undefined
  return code === undefined ? null : new Refusal(code, {})
}

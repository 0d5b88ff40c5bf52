/** Converts a thrown error to a response: a replay, an error of the catalogue, or an internal error. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { errors, Refusal } from '../../kernel/errors.ts'
import { Replayed } from '../db/replay.ts'
import type { HttpContext } from './http-context.ts'
import { withIdHints } from './id-hints.ts'
import { problemOf, refusalFrom } from './problems.ts'
import { typeOf } from './respond.ts'

export function sendProblem(context: HttpContext) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof Replayed) return sendReplay(error, request, reply)
    const refusal = refusalFrom(error) ?? new Refusal('internal_error', {})
    if (refusal.code === 'internal_error')
      context.log.error('request failed', { request_id: request.id, error })
    request.state.errorCode = refusal.code
    setHeaders(reply, refusal)
    const explained = withOriginalPointers(
      context,
      error,
      withIdHints(refusal, request, context.mode),
      request,
    )
    const problem = problemOf(explained, request.id, context.addresses[context.mode])
    request.state.responseBody = problem
    return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem))
  }
}

function setHeaders(reply: FastifyReply, { code, members }: Refusal): void {
  const { retryAfterSeconds, allow, cell_address: cellAddress } = members
  if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
  if (allow !== undefined) reply.header('allow', allow)
  if (cellAddress !== undefined) reply.header('switchyard-cell-address', cellAddress)
  if (errors[code].status === 401) reply.header('www-authenticate', 'Bearer')
}

/**
 * A body is validated in the format of the newest API version. For a caller with an older version, the
 * pointers in the errors are converted to the format of that version.
 */
function withOriginalPointers(
  context: HttpContext,
  error: FastifyError,
  refusal: Refusal,
  request: FastifyRequest,
): Refusal {
  const { operation } = request.routeOptions.config
  const { errors: faults } = refusal.members
  if (error.validationContext !== 'body' || operation === undefined || faults === undefined) return refusal
  const originalPointer = (pointer: string) =>
    context.versions.pointer(request.state.version, operation.id, pointer)
  const converted = faults.map((fault) => ({ ...fault, pointer: originalPointer(fault.pointer) }))
  return new Refusal(refusal.code, { ...refusal.members, errors: converted })
}

function sendReplay({ response, originalRequestId }: Replayed, request: FastifyRequest, reply: FastifyReply) {
  request.state.replayed = true
  // A replayed response can be an error, because errors of requests that had an effect are stored too.
  if (response.status >= 400) request.state.errorCode = JSON.parse(response.body).code
  reply.headers({ 'idempotent-replayed': 'true', 'original-request-id': originalRequestId })
  if (response.etag !== null) reply.header('etag', response.etag)
  return reply.code(response.status).type(typeOf(response.status)).send(response.body)
}

/** From whatever was thrown to the answer: a replay, a refusal of the catalogue, or our fault. */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { errors, Refusal } from '../../kernel/errors.ts'
import { Replayed } from '../db/replay.ts'
import { problemOf, refusalBehind } from './problems.ts'
import { typeOf } from './respond.ts'
import type { Site } from './site.ts'

export function sendProblem(site: Site) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof Replayed) return sendReplay(error, request, reply)
    const refusal = refusalBehind(error) ?? new Refusal('internal_error', {})
    if (refusal.code === 'internal_error') site.log.error('request failed', { request_id: request.id, error })
    request.progress.errorCode = refusal.code
    const { retryAfterSeconds, allow } = refusal.members
    if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds)
    if (allow !== undefined) reply.header('allow', allow)
    if (errors[refusal.code].status === 401) reply.header('www-authenticate', 'Bearer')
    const problem = problemOf(asSent(site, error, refusal, request), request.id, site.addresses[site.mode])
    request.progress.answered = problem
    return reply.code(problem.status).type('application/problem+json').send(JSON.stringify(problem))
  }
}

/** Faults of a body are found in its newest shape; a caller with an older version is told where they are in theirs. */
function asSent(site: Site, error: FastifyError, refusal: Refusal, request: FastifyRequest): Refusal {
  const { operation } = request.routeOptions.config
  const { errors: faults } = refusal.members
  if (error.validationContext !== 'body' || operation === undefined || faults === undefined) return refusal
  const place = (pointer: string) => site.versions.pointer(request.progress.version, operation.id, pointer)
  const moved = faults.map((fault) => ({ ...fault, pointer: place(fault.pointer) }))
  return new Refusal(refusal.code, { ...refusal.members, errors: moved })
}

function sendReplay({ answer, originalRequestId }: Replayed, request: FastifyRequest, reply: FastifyReply) {
  request.progress.replayed = true
  // A refusal that had its effect is kept like any answer.
  if (answer.status >= 400) request.progress.errorCode = JSON.parse(answer.body).code
  reply.headers({ 'idempotent-replayed': 'true', 'original-request-id': originalRequestId })
  if (answer.etag !== null) reply.header('etag', answer.etag)
  return reply.code(answer.status).type(typeOf(answer.status)).send(answer.body)
}

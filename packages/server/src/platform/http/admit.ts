/**
 * Admission of requests, before any body is read: overload, authentication, rate limits, permission, and API
 * version, in this order.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assert } from '../../kernel/assert.ts'
import { type Caller, holderOf } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import { audienceOf } from './audience.ts'
import { authenticate, type KnownIdentity } from './authenticate.ts'
import type { HttpContext } from './http-context.ts'
import { readKey } from './idempotency.ts'
import { type Operation, takesKey } from './operation.ts'

export function admit(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { operation } = request.routeOptions.config
    // Pages and the OpenAPI document need no token.
    if (operation === undefined) return
    if (context.isOverloaded(request.method)) refuse('overloaded', { retryAfterSeconds: 1 })

    const { authorization } = request.headers
    const identity = await authenticate({ authorization, address: request.ip }, context, context.identify)
    request.state.caller = callerOf(identity, request)
    limitRate(context, identity, operation, reply)
    requireAccess(context, identity, operation)
    limitOperation(context, identity, operation, reply)
    request.state.caller = withKey(request.state.caller, request)
    const requested = request.headers['switchyard-version']
    const version =
      requested === undefined ? identity.apiVersion : context.versions.requireKnown(String(requested))
    request.state.version = version
    reply.header('switchyard-version', version)
  }
}

function callerOf(identity: KnownIdentity, request: FastifyRequest): Caller {
  const { workspaceId, mode, apiVersion, authority, tokenId, personId } = identity
  const id = request.id as Id<'request'>
  const withoutKey = { id, idempotencyKey: null, replay: null }
  return { workspaceId, mode, apiVersion, authority, tokenId, personId, request: withoutKey }
}

/**
 * The key is read after authentication and authorization, so an invalid key is counted and logged like any
 * other error.
 */
function withKey(caller: Caller, { method, headers, id }: FastifyRequest): Caller {
  if (!takesKey(method)) return caller
  const idempotencyKey = readKey(headers['idempotency-key'])
  return { ...caller, request: { id: id as Id<'request'>, idempotencyKey, replay: null } }
}

function limitRate(
  context: HttpContext,
  identity: KnownIdentity,
  operation: Operation,
  reply: FastifyReply,
): void {
  const perSecond = context.requestsPerSecond()
  const { allowed, remaining, waitSeconds } = context.buckets.take(String(holderOf(identity)), {
    perSecond,
    burst: 2 * perSecond,
  })
  reply.header('ratelimit-policy', `"default";q=${perSecond};w=1`)
  reply.header('ratelimit', `"default";r=${remaining};t=${Math.max(1, waitSeconds)}`)
  if (!allowed) refuse('rate_limited', { retryAfterSeconds: waitSeconds })

  const leave = operation.streams
    ? (context.streams.enter(identity.workspaceId) ?? refuse('too_many_in_flight', tooManyStreams))
    : (context.inFlight.enter(identity.workspaceId) ?? refuse('too_many_in_flight', { retryAfterSeconds: 1 }))
  // `close` covers both cases: the response was sent, or the client disconnected first.
  reply.raw.once('close', leave)
  // The client disconnected during the token lookup: the event has already fired.
  if (reply.raw.destroyed || reply.raw.closed) leave()
}

const tooManyStreams = { detail: 'Too many event streams are open. Close one first.', retryAfterSeconds: 5 }

/**
 * Applies the limit of the operation per token, after the permission check: callers without permission get a
 * permission error instead.
 */
function limitOperation(
  context: HttpContext,
  identity: KnownIdentity,
  { id, limit: operationLimit }: Operation,
  reply: FastifyReply,
): void {
  if (operationLimit === undefined) return
  const perMinute = context.shareOf(operationLimit.perMinute)
  const bucket = { perSecond: perMinute / 60, burst: perMinute }
  const { allowed, remaining, waitSeconds } = context.buckets.take(`${holderOf(identity)} ${id}`, bucket)
  const current = (name: string) => String(reply.getHeader(name))
  reply.header('ratelimit-policy', `${current('ratelimit-policy')}, "${id}";q=${perMinute};w=60`)
  reply.header('ratelimit', `${current('ratelimit')}, "${id}";r=${remaining};t=${Math.max(1, waitSeconds)}`)
  if (allowed) return
  const detail = `This operation is limited to ${operationLimit.perMinute} calls per minute per token.`
  refuse('rate_limited', { detail, retryAfterSeconds: waitSeconds })
}

function requireAccess(context: HttpContext, { authority }: KnownIdentity, operation: Operation): void {
  const audience = audienceOf(context.access, operation.id, context.mode)
  assert(audience !== undefined, `${operation.id} has no row in access.ts.`)
  if (audience.some((allowed) => allowed === authority)) return
  if (authority === 'publishable') refuse('publishable_token_not_allowed')
  const allowed = audience.filter((allowed) => allowed !== 'publishable').join(', ')
  refuse('role_not_allowed', {
    detail:
      allowed === ''
        ? 'In production this operation requires a publishable token.'
        : `This operation requires the role ${allowed}; the token has ${authority}.`,
  })
}

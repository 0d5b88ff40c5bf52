/** The door: who asks, is it too much, may they, in which version. In this order, before any body is read. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assert } from '../../kernel/assert.ts'
import type { Caller } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import { authenticate, type KnownIdentity } from './authenticate.ts'
import { readKey } from './idempotency.ts'
import { type Operation, takesKey } from './operation.ts'
import type { Site } from './site.ts'

export function admit(site: Site) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { operation } = request.routeOptions.config
    // Pages and the document need no token.
    if (operation === undefined) return
    if (site.isOverloaded(request.method)) refuse('overloaded', { retryAfterSeconds: 1 })

    const { authorization } = request.headers
    const identity = await authenticate({ authorization, address: request.ip }, site, site.identify)
    request.progress.caller = callerOf(identity, request)
    limit(site, identity, reply)
    requireAccess(site, identity, operation)
    request.progress.caller = withKey(request.progress.caller, request)
    const asked = request.headers['switchyard-version']
    const version = asked === undefined ? identity.apiVersion : site.versions.requireKnown(String(asked))
    request.progress.version = version
    reply.header('switchyard-version', version)
  }
}

function callerOf(identity: KnownIdentity, request: FastifyRequest): Caller {
  const { workspaceId, mode, apiVersion, authority, tokenId } = identity
  const id = request.id as Id<'request'>
  const without = { id, idempotencyKey: null, replay: null }
  return { workspaceId, mode, apiVersion, authority, tokenId, request: without }
}

/** The key is read when the caller is known and allowed: a wrong one is then counted and logged like any fault. */
function withKey(caller: Caller, { method, headers, id }: FastifyRequest): Caller {
  if (!takesKey(method)) return caller
  const idempotencyKey = readKey(headers['idempotency-key'])
  return { ...caller, request: { id: id as Id<'request'>, idempotencyKey, replay: null } }
}

function limit(site: Site, identity: KnownIdentity, reply: FastifyReply): void {
  const perSecond = site.requestsPerSecond()
  const { allowed, left, waitSeconds } = site.buckets.take(identity.tokenId, {
    perSecond,
    burst: 2 * perSecond,
  })
  reply.header('ratelimit-policy', `"default";q=${perSecond};w=1`)
  reply.header('ratelimit', `"default";r=${left};t=${Math.max(1, waitSeconds)}`)
  if (!allowed) refuse('rate_limited', { retryAfterSeconds: waitSeconds })

  const leave =
    site.inFlight.enter(identity.workspaceId) ?? refuse('too_many_in_flight', { retryAfterSeconds: 1 })
  // Closed covers both: answered, and gone before the answer.
  reply.raw.once('close', leave)
  // Gone already, while the token was looked up: that event will not come any more.
  if (reply.raw.destroyed || reply.raw.closed) leave()
}

function requireAccess(site: Site, { authority }: KnownIdentity, operation: Operation): void {
  const audience = site.access[operation.id]
  assert(audience !== undefined, `${operation.id} has no row in access.ts.`)
  if (audience.some((one) => one === authority)) return
  if (authority === 'publishable') refuse('publishable_token_not_allowed')
  const allowed = audience.filter((one) => one !== 'publishable').join(', ')
  refuse('role_not_allowed', {
    detail: `This operation asks for the role ${allowed}; the token has ${authority}.`,
  })
}

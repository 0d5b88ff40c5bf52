/** The door: who asks, is it too much, may they, in which version. In this order, before any body is read. */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { assert } from '../../kernel/assert.ts'
import { type Caller, holderOf } from '../../kernel/caller.ts'
import { refuse } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import { audienceOf } from './audience.ts'
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
    limit(site, identity, operation, reply)
    requireAccess(site, identity, operation)
    limitOperation(site, identity, operation, reply)
    request.progress.caller = withKey(request.progress.caller, request)
    const asked = request.headers['switchyard-version']
    const version = asked === undefined ? identity.apiVersion : site.versions.requireKnown(String(asked))
    request.progress.version = version
    reply.header('switchyard-version', version)
  }
}

function callerOf(identity: KnownIdentity, request: FastifyRequest): Caller {
  const { workspaceId, mode, apiVersion, authority, tokenId, personId } = identity
  const id = request.id as Id<'request'>
  const without = { id, idempotencyKey: null, replay: null }
  return { workspaceId, mode, apiVersion, authority, tokenId, personId, request: without }
}

/** The key is read when the caller is known and allowed: a wrong one is then counted and logged like any fault. */
function withKey(caller: Caller, { method, headers, id }: FastifyRequest): Caller {
  if (!takesKey(method)) return caller
  const idempotencyKey = readKey(headers['idempotency-key'])
  return { ...caller, request: { id: id as Id<'request'>, idempotencyKey, replay: null } }
}

function limit(site: Site, identity: KnownIdentity, operation: Operation, reply: FastifyReply): void {
  const perSecond = site.requestsPerSecond()
  const { allowed, left, waitSeconds } = site.buckets.take(String(holderOf(identity)), {
    perSecond,
    burst: 2 * perSecond,
  })
  reply.header('ratelimit-policy', `"default";q=${perSecond};w=1`)
  reply.header('ratelimit', `"default";r=${left};t=${Math.max(1, waitSeconds)}`)
  if (!allowed) refuse('rate_limited', { retryAfterSeconds: waitSeconds })

  const leave = operation.streams
    ? (site.streams.enter(identity.workspaceId) ?? refuse('too_many_in_flight', tooManyStreams))
    : (site.inFlight.enter(identity.workspaceId) ?? refuse('too_many_in_flight', { retryAfterSeconds: 1 }))
  // Closed covers both: answered, and gone before the answer.
  reply.raw.once('close', leave)
  // Gone already, while the token was looked up: that event will not come any more.
  if (reply.raw.destroyed || reply.raw.closed) leave()
}

const tooManyStreams = { detail: 'Too many streams are open. Close one first.', retryAfterSeconds: 5 }

/** Per token and operation, and only for those who may call it: others are told that they may not. */
function limitOperation(
  site: Site,
  identity: KnownIdentity,
  { id, limit: own }: Operation,
  reply: FastifyReply,
): void {
  if (own === undefined) return
  const perMinute = site.shareOf(own.perMinute)
  const bucket = { perSecond: perMinute / 60, burst: perMinute }
  const { allowed, left, waitSeconds } = site.buckets.take(`${holderOf(identity)} ${id}`, bucket)
  const before = (name: string) => String(reply.getHeader(name))
  reply.header('ratelimit-policy', `${before('ratelimit-policy')}, "${id}";q=${perMinute};w=60`)
  reply.header('ratelimit', `${before('ratelimit')}, "${id}";r=${left};t=${Math.max(1, waitSeconds)}`)
  if (allowed) return
  const detail = `This operation may be called ${own.perMinute} times a minute with the same token.`
  refuse('rate_limited', { detail, retryAfterSeconds: waitSeconds })
}

function requireAccess(site: Site, { authority }: KnownIdentity, operation: Operation): void {
  const audience = audienceOf(site.access, operation.id, site.mode)
  assert(audience !== undefined, `${operation.id} has no row in access.ts.`)
  if (audience.some((one) => one === authority)) return
  if (authority === 'publishable') refuse('publishable_token_not_allowed')
  const allowed = audience.filter((one) => one !== 'publishable').join(', ')
  refuse('role_not_allowed', {
    detail:
      allowed === ''
        ? 'In production this operation is for publishable tokens alone.'
        : `This operation asks for the role ${allowed}; the token has ${authority}.`,
  })
}

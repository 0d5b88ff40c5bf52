/**
 * What a publishable token opens is called by pages, of origins that we do not know. Browsers ask us whether
 * they may, and hide the answer otherwise. They may, wherever they come from: the token is all that counts, and
 * no cookie is ever read. Everything else is for servers, which do not ask.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForPages } from './audience.ts'
import type { Site } from './site.ts'

const origin = { 'access-control-allow-origin': '*' }
/** What a page may read of an answer beside its body. */
const exposed =
  'Request-Id, Retry-After, RateLimit, RateLimit-Policy, Idempotent-Replayed, Switchyard-Version'
const accepted = 'Authorization, Checkout-Secret, Content-Type, Idempotency-Key, Switchyard-Version'
/** Browsers remember for two hours at most, whatever they are told. */
const rememberSeconds = 7_200

/** Before anything can be refused: a page should be able to read that, too. */
export function allowEveryOrigin(site: Site) {
  return async ({ routeOptions }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { operation } = routeOptions.config
    if (operation === undefined || !isForPages(site.access, operation.id)) return
    reply.headers({ ...origin, 'access-control-expose-headers': exposed })
  }
}

export function answerPreflight(reply: FastifyReply, methods: readonly string[]): FastifyReply {
  return reply
    .code(204)
    .headers({
      ...origin,
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': accepted,
      'access-control-max-age': String(rememberSeconds),
    })
    .send()
}

/**
 * Browsers ask us whether a page of another origin may call us, and hide the answer otherwise. What a publishable
 * token opens is called by pages of origins that we do not know, so they may, wherever they come from. Everything
 * is open to the dashboard, which is a page of its own origin and calls both addresses. The token is all that
 * counts: no cookie is ever read here, and none may be sent along.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForPages } from './audience.ts'
import type { Site } from './site.ts'

/** What a page may read of an answer beside its body. */
const exposed =
  'Content-Disposition, ETag, Idempotent-Replayed, Original-Request-Id, RateLimit, RateLimit-Policy, Request-Id, Retry-After, Switchyard-Version'
const accepted = 'Authorization, Checkout-Secret, Content-Type, Idempotency-Key, Switchyard-Version'
/** The dashboard calls everything, in every way. */
const acceptedOfDashboard = `${accepted}, If-Match, Last-Event-ID`
/** Browsers remember for two hours at most, whatever they are told. */
const rememberSeconds = 7_200

/** Before anything can be refused: a page should be able to read that, too. */
export function allowOrigins(site: Site) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { operation } = request.routeOptions.config
    if (operation !== undefined && isForPages(site.access, operation.id)) allow(reply, '*')
    else if (isDashboard(site, request)) allow(reply, site.dashboardOrigin())
    // Whether it is allowed depends on who asks, so a cache must not hand the answer to somebody else.
    if (operation !== undefined) reply.header('vary', 'Origin')
  }
}

/** The methods that a page of that origin may call there; none: it may not. */
export function methodsFor(
  site: Site,
  request: FastifyRequest,
  here: readonly { readonly id: string; readonly method: string }[],
): readonly string[] {
  if (isDashboard(site, request)) return here.map(({ method }) => method)
  return here.filter(({ id }) => isForPages(site.access, id)).map(({ method }) => method)
}

export function answerPreflight(
  site: Site,
  request: FastifyRequest,
  reply: FastifyReply,
  methods: readonly string[],
): FastifyReply {
  const isOurs = isDashboard(site, request)
  return reply
    .code(204)
    .headers({
      'access-control-allow-origin': isOurs ? site.dashboardOrigin() : '*',
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': isOurs ? acceptedOfDashboard : accepted,
      'access-control-max-age': String(rememberSeconds),
      vary: 'Origin',
    })
    .send()
}

function isDashboard(site: Site, { headers }: FastifyRequest): boolean {
  return headers.origin !== undefined && headers.origin === site.dashboardOrigin()
}

function allow(reply: FastifyReply, origin: string): void {
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposed })
}

/**
 * CORS. A page of another origin can read a response of the API only if the API allows that origin.
 * Operations for publishable tokens are called from pages of unknown origins, so every origin may call them.
 * The dashboard, which has its own origin and calls the live and the test API, may call every operation. Only
 * the token authenticates: cookies are never read here, and credentials are not allowed.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isForPages } from './audience.ts'
import type { HttpContext } from './http-context.ts'

/** The response headers that a page can read. */
const exposedHeaders =
  'Content-Disposition, ETag, Idempotent-Replayed, Original-Request-Id, RateLimit, RateLimit-Policy, Request-Id, Retry-After, Switchyard-Cell-Address, Switchyard-Version'
const allowedHeaders = 'Authorization, Checkout-Secret, Content-Type, Idempotency-Key, Switchyard-Version'
/** The dashboard calls all operations with all headers. */
const allowedDashboardHeaders = `${allowedHeaders}, If-Match, Last-Event-ID`
/** Browsers cache a preflight for at most two hours, even if the value is higher. */
const preflightMaxAgeSeconds = 7_200

/** Runs before any hook that can reject the request, so that pages can read errors too. */
export function allowOrigins(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { operation } = request.routeOptions.config
    if (operation !== undefined && isForPages(context.access, operation.id)) allow(reply, '*')
    else if (isDashboard(context, request)) allow(reply, context.dashboardOrigin())
    // The result depends on the origin, so caches must not share it.
    if (operation !== undefined) reply.header('vary', 'Origin')
  }
}

/** The methods that a page of that origin may call on this path; empty if none. */
export function methodsFor(
  context: HttpContext,
  request: FastifyRequest,
  operations: readonly { readonly id: string; readonly method: string }[],
): readonly string[] {
  if (isDashboard(context, request)) return operations.map(({ method }) => method)
  return operations.filter(({ id }) => isForPages(context.access, id)).map(({ method }) => method)
}

export function respondToPreflight(
  context: HttpContext,
  request: FastifyRequest,
  reply: FastifyReply,
  methods: readonly string[],
): FastifyReply {
  const isFromDashboard = isDashboard(context, request)
  return reply
    .code(204)
    .headers({
      'access-control-allow-origin': isFromDashboard ? context.dashboardOrigin() : '*',
      'access-control-allow-methods': methods.join(', '),
      'access-control-allow-headers': isFromDashboard ? allowedDashboardHeaders : allowedHeaders,
      'access-control-max-age': String(preflightMaxAgeSeconds),
      vary: 'Origin',
    })
    .send()
}

function isDashboard(context: HttpContext, { headers }: FastifyRequest): boolean {
  return headers.origin !== undefined && headers.origin === context.dashboardOrigin()
}

function allow(reply: FastifyReply, origin: string): void {
  reply.headers({ 'access-control-allow-origin': origin, 'access-control-expose-headers': exposedHeaders })
}

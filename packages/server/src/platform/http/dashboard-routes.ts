/**
 * Routes for the pages of the dashboard, on its own origin, authenticated by a cookie. Browsers attach
 * cookies to requests from any page, so these routes accept only requests from our own pages. They need no
 * role, and their bodies are not stored in the request log.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { refuse } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import { originOf } from './dashboard-pages.ts'
import type { HttpContext } from './http-context.ts'
import { type CookieKind, nameOf, type PageCookie, readCookie, writeCookie } from './page-cookies.ts'
import { limitByNetwork } from './public-routes.ts'

export type DashboardRequest = {
  readonly params: Readonly<Record<string, string>>
  /** The parsed and validated body. */
  readonly input: unknown
  /** The secret in the session cookie; null if there is none. */
  readonly sessionSecret: string | null
  /** The secret in the device cookie; null if there is none. */
  readonly deviceSecret: string | null
  readonly address: string
  readonly userAgent: string
  readonly requestId: Id<'request'>
  /** Sets the session cookie, even if the request is rejected. */
  readonly setSessionCookie: (cookie: PageCookie) => void
  /** Sets the device cookie, even if the request is rejected. */
  readonly setDeviceCookie: (cookie: PageCookie) => void
}

export type DashboardResponse = {
  /** Without a body the response is empty. */
  readonly body?: object
  readonly status?: 200 | 201
  /** Null deletes the session cookie; if omitted, it is unchanged. */
  readonly sessionCookie?: PageCookie | null
  /** The device cookie. If omitted, it is unchanged. */
  readonly deviceCookie?: PageCookie
}

export type DashboardRoute = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly bodySchema?: TSchema
  readonly handle: (request: DashboardRequest) => Promise<DashboardResponse>
}

export function registerDashboardRoutes(
  app: FastifyInstance,
  context: HttpContext,
  url: () => string,
  routes: readonly DashboardRoute[],
): void {
  app.register(async (scope) => {
    scope.addHook('onRequest', limitByNetwork(context))
    scope.addHook('onRequest', async (request) => requireOwnPage(request, originOf(url())))
    scope.addHook('preValidation', async (request) => {
      if (request.method !== 'GET') request.body ??= {}
    })
    for (const { method, path, bodySchema, handle } of routes) {
      const schema = { params: {}, ...(method === 'GET' ? {} : { body: bodySchema ?? emptyBody }) }
      scope.route({
        method,
        url: path,
        schema,
        handler: async (request, reply) => {
          const isSecure = url().startsWith('https:')
          const set: SetCookie = (kind, cookie) => setCookie(reply, kind, cookie, isSecure)
          const setSessionCookie = (cookie: PageCookie) => set('session', cookie)
          const setDeviceCookie = (cookie: PageCookie) => set('device', cookie)
          const response = await handle({
            ...dashboardRequestOf(request, isSecure),
            setSessionCookie,
            setDeviceCookie,
          })
          return sendResponse(reply, set, response)
        },
      })
    }
  })
}

const emptyBody = { type: 'object', properties: {}, additionalProperties: false }

/**
 * Browsers report the origin of the page, and pages cannot forge it. Changes require our origin; for reads it
 * suffices that no other origin is reported.
 */
function requireOwnPage({ method, headers }: FastifyRequest, origin: string): void {
  const {
    origin: requestOrigin,
    'sec-fetch-site': fetchSite = 'same-origin',
    'content-type': type = '',
  } = headers
  const detail = `Only the dashboard may call this endpoint. Open the dashboard at ${origin}.`
  if (requestOrigin !== undefined && requestOrigin !== origin) refuse('foreign_origin', { detail })
  if (fetchSite !== 'same-origin' && !(method === 'GET' && fetchSite === 'none'))
    refuse('foreign_origin', { detail })
  if (method === 'GET') return
  if (requestOrigin === undefined) refuse('foreign_origin', { detail })
  // An HTML form, which any page can submit, cannot have the content type JSON.
  if (method !== 'DELETE' && !/^application\/json\b/i.test(type)) refuse('unsupported_media_type')
}

function dashboardRequestOf(
  request: FastifyRequest,
  isSecure: boolean,
): Omit<DashboardRequest, 'setSessionCookie' | 'setDeviceCookie'> {
  const { params, body, headers, ip: address, id } = request
  return {
    params: params as Record<string, string>,
    input: body,
    sessionSecret: readCookie('session', headers.cookie, isSecure),
    deviceSecret: readCookie('device', headers.cookie, isSecure),
    address,
    userAgent: String(headers['user-agent'] ?? '').slice(0, 300),
    requestId: id as Id<'request'>,
  }
}

type SetCookie = (kind: CookieKind, cookie: PageCookie | null) => void

/** At most one cookie of each kind: a later one replaces the earlier one. */
function setCookie(
  reply: FastifyReply,
  kind: CookieKind,
  cookie: PageCookie | null,
  isSecure: boolean,
): void {
  const others = [reply.getHeader('set-cookie') ?? []]
    .flat()
    .filter((text) => !String(text).startsWith(`${nameOf(kind, isSecure)}=`))
  reply.removeHeader('set-cookie')
  reply.header('set-cookie', [...others.map(String), writeCookie(kind, cookie, isSecure)])
}

function sendResponse(reply: FastifyReply, set: SetCookie, response: DashboardResponse): FastifyReply {
  const { body, status, sessionCookie, deviceCookie } = response
  if (sessionCookie !== undefined) set('session', sessionCookie)
  if (deviceCookie !== undefined) set('device', deviceCookie)
  if (body === undefined) return reply.code(204).send()
  return reply
    .code(status ?? 200)
    .type('application/json')
    .send(JSON.stringify(body))
}

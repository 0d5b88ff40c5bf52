/**
 * Doors for the pages of the dashboard, on its own origin: whoever comes is known by a cookie. A cookie is sent by
 * the browser, not by the page, so here it matters which page asks: only our own does. No role opens these doors,
 * and no body of theirs is kept in the request log.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { refuse } from '../../kernel/errors.ts'
import type { Id } from '../../kernel/id.ts'
import { originOf } from './dashboard-pages.ts'
import { limitByAddress } from './doors.ts'
import { readSessionCookie, type SessionCookie, writeSessionCookie } from './session-cookie.ts'
import type { Site } from './site.ts'

export type PageVisit = {
  readonly params: Readonly<Record<string, string>>
  /** Read and checked. */
  readonly input: unknown
  /** What the cookie holds; null: there is none. */
  readonly secret: string | null
  readonly address: string
  readonly userAgent: string
  readonly requestId: Id<'request'>
  /** What the browser carries from now on, whatever becomes of its wish: a refusal brings it too. */
  readonly keepCookie: (cookie: SessionCookie) => void
}

export type PageAnswer = {
  /** Without one nothing is said but that it is done. */
  readonly body?: object
  readonly status?: 200 | 201
  /** Null takes the cookie away; without it the cookie stays as it is. */
  readonly cookie?: SessionCookie | null
}

export type PageDoor = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly takes?: TSchema
  readonly open: (visit: PageVisit) => Promise<PageAnswer>
}

export function addPageDoors(
  app: FastifyInstance,
  site: Site,
  url: () => string,
  doors: readonly PageDoor[],
): void {
  app.register(async (hall) => {
    hall.addHook('onRequest', limitByAddress(site))
    hall.addHook('onRequest', async (request) => requireOwnPage(request, originOf(url())))
    hall.addHook('preValidation', async (request) => {
      if (request.method !== 'GET') request.body ??= {}
    })
    for (const { method, path, takes, open } of doors) {
      const schema = { params: {}, ...(method === 'GET' ? {} : { body: takes ?? nothing }) }
      hall.route({
        ...{ method, url: path, schema },
        handler: async (request, reply) => {
          const isSecure = url().startsWith('https:')
          const keepCookie = (cookie: SessionCookie) => setCookie(reply, isSecure, cookie)
          return answer(reply, isSecure, await open({ ...visitOf(request, isSecure), keepCookie }))
        },
      })
    }
  })
}

const nothing = { type: 'object', properties: {}, additionalProperties: false }

/**
 * Browsers say which page asks, and no page can make them say something else. What changes something has to come
 * with our origin; for what is only read, it suffices that no other is named.
 */
function requireOwnPage({ method, headers }: FastifyRequest, origin: string): void {
  const { origin: asking, 'sec-fetch-site': site = 'same-origin', 'content-type': type = '' } = headers
  const detail = `This is for the pages of the dashboard alone. Open it at ${origin}.`
  if (asking !== undefined && asking !== origin) refuse('foreign_origin', { detail })
  if (site !== 'same-origin' && !(method === 'GET' && site === 'none')) refuse('foreign_origin', { detail })
  if (method === 'GET') return
  if (asking === undefined) refuse('foreign_origin', { detail })
  // A form, which any page can send, cannot say that it is JSON.
  if (method !== 'DELETE' && !/^application\/json\b/i.test(type)) refuse('unsupported_media_type')
}

function visitOf(request: FastifyRequest, isSecure: boolean): Omit<PageVisit, 'keepCookie'> {
  const { params, body, headers, ip: address, id } = request
  return {
    params: params as Record<string, string>,
    input: body,
    secret: readSessionCookie(headers.cookie, isSecure),
    address,
    userAgent: String(headers['user-agent'] ?? '').slice(0, 300),
    requestId: id as Id<'request'>,
  }
}

/** One at most: a later one takes the place of the one before. */
function setCookie(reply: FastifyReply, isSecure: boolean, cookie: SessionCookie | null): void {
  reply.removeHeader('set-cookie')
  reply.header('set-cookie', writeSessionCookie(cookie, isSecure))
}

function answer(reply: FastifyReply, isSecure: boolean, { body, status, cookie }: PageAnswer): FastifyReply {
  if (cookie !== undefined) setCookie(reply, isSecure, cookie)
  if (body === undefined) return reply.code(204).send()
  return reply
    .code(status ?? 200)
    .type('application/json')
    .send(JSON.stringify(body))
}

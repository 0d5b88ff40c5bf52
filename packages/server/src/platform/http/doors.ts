/**
 * Doors are for those who have no token: a provider, which proves itself by its signature, and a payer, who has
 * nothing but an address. They are no operations of the API: no role opens them, and no body of theirs is kept in
 * the request log.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { refuse } from '../../kernel/errors.ts'
import type { Id, Mode } from '../../kernel/id.ts'
import { blockOf } from './authenticate.ts'
import { plainPage } from './pages-for-people.ts'
import type { Site } from './site.ts'

export type Visit = {
  readonly mode: Mode
  readonly method: string
  /** With its query, as it came. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  /** Of a name that stands there more than once, the last. */
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The body of a door that says what it takes: read and checked. */
  readonly input: unknown
  /** Where the visitor is. */
  readonly address: string
  readonly requestId: Id<'request'>
}

export type DoorAnswer =
  | { readonly is: 'json'; readonly body: object; readonly status?: 200 | 201 }
  /** JSON that was written before. */
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'redirect'; readonly to: string }
  | { readonly is: 'page'; readonly title: string; readonly text: string }

export type Door = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** What the body has to look like. Without it the body is handed on as it came. */
  readonly takes?: TSchema
  /** So many come that a line in the log for each would say nothing. */
  readonly isQuiet?: boolean
  readonly open: (visit: Visit) => Promise<DoorAnswer>
}

/** An address that one learns by looking over a shoulder must not travel on to the next page. */
const quiet = { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' }
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

export function addDoors(app: FastifyInstance, site: Site, doors: readonly Door[]): void {
  const [forms, others] = [doors.filter(({ takes }) => takes), doors.filter(({ takes }) => !takes)]
  app.register(async (hall) => {
    // A signature is over bytes, so here nobody reads the body before its signature is checked.
    hall.removeAllContentTypeParsers()
    hall.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_: FastifyRequest, bytes: Buffer) => bytes,
    )
    hang(hall, site, others)
  })
  app.register(async (hall) => {
    hall.addHook('preValidation', async (request) => {
      request.body ??= {}
    })
    hang(hall, site, forms)
  })
}

function hang(hall: FastifyInstance, site: Site, doors: readonly Door[]): void {
  hall.addHook('onRequest', limitByAddress(site))
  for (const { method, path: url, takes, isQuiet = false, open } of doors) {
    hall.route({
      ...{ method, url, config: { isQuiet } },
      ...(takes === undefined ? {} : { schema: { body: takes } }),
      handler: async (request, reply) => answer(reply, await open(visitOf(site, request))),
    })
  }
}

/** Whoever has no token is counted by where they come from. */
export function limitByAddress(site: Site) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (site.isOverloaded(request.method)) refuse('overloaded', { retryAfterSeconds: 1 })
    const visitor = `visitor ${blockOf(request.ip)}`
    const perSecond = site.requestsPerSecond()
    const { allowed, waitSeconds } = site.buckets.take(visitor, { perSecond, burst: 2 * perSecond })
    if (!allowed) refuse('rate_limited', { retryAfterSeconds: waitSeconds })
    const leave = site.inFlight.enter(visitor) ?? refuse('too_many_in_flight', { retryAfterSeconds: 1 })
    reply.raw.once('close', leave)
    // Gone already: that event will not come any more.
    if (reply.raw.destroyed || reply.raw.closed) leave()
  }
}

function visitOf({ mode }: Site, request: FastifyRequest): Visit {
  const { method, url, params, query, headers, body, ip: address, id } = request
  return {
    mode,
    method,
    path: url,
    params: params as Record<string, string>,
    query: textsOf(query as Record<string, unknown>),
    headers: textsOf(headers),
    body: Buffer.isBuffer(body) ? body : new Uint8Array(),
    input: Buffer.isBuffer(body) ? undefined : body,
    address,
    requestId: id as Id<'request'>,
  }
}

function textsOf(members: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      const last = Array.isArray(value) ? value.at(-1) : value
      return typeof last === 'string' ? [[name, last]] : []
    }),
  )
}

function answer(reply: FastifyReply, said: DoorAnswer): FastifyReply {
  reply.headers(quiet)
  if (said.is === 'redirect') return reply.redirect(said.to, 303)
  if (said.is === 'text') return reply.type('application/json').send(said.text)
  if (said.is === 'json')
    return reply
      .code(said.status ?? 200)
      .type('application/json')
      .send(JSON.stringify(said.body))
  reply.header('content-security-policy', pagePolicy)
  return reply.type('text/html; charset=utf-8').send(plainPage(said.title, said.text))
}

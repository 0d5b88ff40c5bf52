/**
 * Public routes for callers without a token: providers, which are authenticated by their signature, and
 * payers, who only have a URL. They are not operations of the API: they need no role, and their bodies are
 * not stored in the request log.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import { keysIn, refuseWrongCell } from '../../kernel/cells.ts'
import { type ErrorCode, Refusal, refuse } from '../../kernel/errors.ts'
import type { Id, Mode } from '../../kernel/id.ts'
import { networkOf } from '../../kernel/network.ts'
import type { HttpContext } from './http-context.ts'
import { formPage, plainPage, submitScriptHash } from './plain-pages.ts'
import { maxUrlCharacters, nulsIn } from './validation.ts'

export type PublicRequest = {
  readonly mode: Mode
  readonly method: string
  /** As received, with the query. */
  readonly path: string
  readonly params: Readonly<Record<string, string>>
  /** If a name occurs more than once, the last value. */
  readonly query: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** The parsed and validated body, for routes that declare a schema. */
  readonly input: unknown
  /** The IP address of the client. */
  readonly address: string
  readonly requestId: Id<'request'>
}

export type PublicResponse =
  | { readonly kind: 'json'; readonly body: object; readonly status?: 200 | 201 }
  /** Serialized JSON. */
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'redirect'; readonly to: string }
  /** A page that submits a form to another site. */
  | { readonly kind: 'form'; readonly to: string; readonly fields: Readonly<Record<string, string>> }
  /** A complete page without scripts. */
  | { readonly kind: 'html'; readonly html: string }
  | { readonly kind: 'page'; readonly title: string; readonly text: string }
  | PublicFile

/** A file to save. Its chunks are read as fast as the client receives them. */
type PublicFile = {
  readonly kind: 'file'
  readonly name: string
  readonly contentType: string
  readonly bytes: number
  readonly chunks: AsyncIterable<Uint8Array>
}

export type PublicRoute = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** The schema of the body. Without it the body is passed on as received. */
  readonly bodySchema?: TSchema
  /** Whether the body is a form whose fields are added to the query. Its size is limited like a URL. */
  readonly takesForm?: boolean
  /** Whether successes are logged at debug level only, because the route is called often. */
  readonly isQuiet?: boolean
  readonly handle: (request: PublicRequest) => Promise<PublicResponse>
}

/** The URL may be a secret, so it must not be sent to the next page as the referrer. */
const privateHeaders = { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' }
const pagePolicy = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

export function registerPublicRoutes(
  app: FastifyInstance,
  context: HttpContext,
  routes: readonly PublicRoute[],
): void {
  const [parsedRoutes, rawRoutes] = [
    routes.filter(({ bodySchema }) => bodySchema),
    routes.filter(({ bodySchema }) => !bodySchema),
  ]
  app.register(async (scope) => {
    // A signature covers the raw bytes, so the body is not parsed before its signature is checked.
    // Providers and banks choose the content type.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer' }, async (_: FastifyRequest, bytes: Buffer) => bytes)
    registerRoutes(scope, context, rawRoutes)
  })
  app.register(async (scope) => {
    scope.addHook('preValidation', async (request) => {
      request.body ??= {}
    })
    registerRoutes(scope, context, parsedRoutes)
  })
}

function registerRoutes(scope: FastifyInstance, context: HttpContext, routes: readonly PublicRoute[]): void {
  scope.addHook('onRequest', limitByNetwork(context))
  for (const { method, path: url, bodySchema, takesForm = false, isQuiet = false, handle } of routes) {
    const read = (request: FastifyRequest) => {
      const received = publicRequestOf(context, request)
      return takesForm ? withFormFields(received) : received
    }
    scope.route({
      method,
      url,
      config: { isQuiet },
      ...(takesForm ? { bodyLimit: maxUrlCharacters } : {}),
      ...(bodySchema === undefined ? {} : { schema: { body: bodySchema } }),
      handler: async (request, reply) => {
        const received = read(request)
        try {
          return sendResponse(reply, await handle(received))
        } catch (error) {
          return throwWrongCellOr(error, context, received)
        }
      },
    })
  }
}

/** The errors for an object or a signature that this cell does not know. */
const unknownHere: ReadonlySet<ErrorCode> = new Set([
  'not_found',
  'checkout_secret_invalid',
  'download_link_invalid',
])

/**
 * A URL or a secret of another cell is unknown here. The response only depends on the ids in them, so it does not reveal
 * whether they are valid.
 */
async function throwWrongCellOr(
  error: unknown,
  { cells, mode }: HttpContext,
  { params, headers }: PublicRequest,
): Promise<never> {
  if (!(error instanceof Refusal && unknownHere.has(error.code))) throw error
  const texts = [...Object.values(params), headers['checkout-secret'] ?? '']
  const cell = await cells.find(texts.flatMap(keysIn))
  if (cell === null) throw error
  return refuseWrongCell(cell[mode])
}

/** Clients without a token are rate limited by their network. */
export function limitByNetwork(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    if (context.isOverloaded(request.method)) refuse('overloaded', { retryAfterSeconds: 1 })
    const bucketKey = `visitor ${networkOf(request.ip)}`
    const perSecond = context.requestsPerSecond()
    const { allowed, waitSeconds } = context.buckets.take(bucketKey, { perSecond, burst: 2 * perSecond })
    if (!allowed) refuse('rate_limited', { retryAfterSeconds: waitSeconds })
    const leave = context.inFlight.enter(bucketKey) ?? refuse('too_many_in_flight', { retryAfterSeconds: 1 })
    reply.raw.once('close', leave)
    // The client has already disconnected: the event has already fired.
    if (reply.raw.destroyed || reply.raw.closed) leave()
  }
}

function publicRequestOf({ mode }: HttpContext, request: FastifyRequest): PublicRequest {
  const { method, url, params, query, headers, body, ip: address, id } = request
  return {
    mode,
    method,
    path: url,
    params: params as Record<string, string>,
    query: stringValues(query as Record<string, unknown>),
    headers: stringValues(headers),
    body: Buffer.isBuffer(body) ? body : new Uint8Array(),
    input: Buffer.isBuffer(body) ? undefined : body,
    address,
    requestId: id as Id<'request'>,
  }
}

function withFormFields(request: PublicRequest): PublicRequest {
  const fields = Object.fromEntries(new URLSearchParams(new TextDecoder().decode(request.body)))
  const faults = nulsIn(fields)
  if (faults.length > 0) refuse('invalid_request', { errors: faults })
  return { ...request, query: { ...request.query, ...fields } }
}

function stringValues(members: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]) => {
      const last = Array.isArray(value) ? value.at(-1) : value
      return typeof last === 'string' ? [[name, last]] : []
    }),
  )
}

function sendResponse(reply: FastifyReply, response: PublicResponse): FastifyReply {
  reply.headers(privateHeaders)
  if (response.kind === 'file') return sendFile(reply, response)
  if (response.kind === 'redirect') return reply.redirect(response.to, 303)
  if (response.kind === 'text') return reply.type('application/json').send(response.text)
  if (response.kind === 'json')
    return reply
      .code(response.status ?? 200)
      .type('application/json')
      .send(JSON.stringify(response.body))
  reply.type('text/html; charset=utf-8')
  if (response.kind === 'form') {
    reply.header('content-security-policy', `${pagePolicy}; script-src '${submitScriptHash}'`)
    return reply.send(formPage(response.to, response.fields))
  }
  if (response.kind === 'html') {
    reply.header('content-security-policy', `${pagePolicy}; img-src data:; form-action 'self'`)
    return reply.send(response.html)
  }
  reply.header('content-security-policy', pagePolicy)
  return reply.send(plainPage(response.title, response.text))
}

function sendFile(reply: FastifyReply, { name, contentType, bytes, chunks }: PublicFile): FastifyReply {
  reply.headers({ 'content-disposition': `attachment; filename="${name}"`, 'content-length': bytes })
  return reply.type(contentType).send(ReadableStream.from(chunks))
}

/** An HTTP server for one address: limits, door, operations, problems, and a line for each request. */
import { AjvCompiler } from '@fastify/ajv-compiler'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { machineTime, monotonicMs } from '../../kernel/clock.ts'
import { type Fault, Refusal } from '../../kernel/errors.ts'
import { drawSlot, idFromUuid, idMaker, type Mode } from '../../kernel/id.ts'
import { admit } from './admit.ts'
import { allowOrigins, answerPreflight, methodsFor } from './cross-origin.ts'
import { forgetUnused, hangUpOn } from './hang-up.ts'
import { parseJsonBody } from './json-body.ts'
import { noteRequest } from './note-request.ts'
import type { Operation } from './operation.ts'
import { respond } from './respond.ts'
import { sendProblem } from './send-problem.ts'
import type { Site } from './site.ts'
import { createStreams } from './stream.ts'
import { type Complaint, faultsOf, nulsIn, validatorOptions } from './validation.ts'

/** Bounds on what a stranger may send, and how slowly. */
const limits = {
  bodyBytes: 256 * 1024,
  headerBytes: 16 * 1024,
  urlCharacters: 8 * 1024,
  headersMs: 10_000,
  requestMs: 30_000,
  handlerMs: 30_000,
  keepAliveMs: 65_000,
  /** Nothing moves on a connection: somebody asks and does not read the answer. */
  standstillMs: 60_000,
  checkMs: 1_000,
}

export function createServer(site: Site): FastifyInstance {
  const patience = { ...limits, ...site.patience }
  const app = Fastify({
    logger: false,
    genReqId: () => newRequestId(site.mode),
    requestIdHeader: false,
    bodyLimit: limits.bodyBytes,
    handlerTimeout: patience.handlerMs,
    requestTimeout: patience.requestMs,
    keepAliveTimeout: patience.keepAliveMs,
    connectionTimeout: patience.standstillMs,
    exposeHeadRoutes: false,
    // While it closes, what still comes is answered as ever; Fastify's own 503 is not in our format.
    return503OnClosing: false,
    // Of the forwarded addresses the last is our proxy's word; those before it are whatever a caller wrote.
    trustProxy: site.trustProxy ? (_, hop) => hop === 0 : false,
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: patience.headersMs,
      connectionsCheckingInterval: patience.checkMs,
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    schemaErrorFormatter: (complaints) => refusalFor(faultsOf(complaints as readonly Complaint[])),
    clientErrorHandler: hangUpOn({
      address: () => site.addresses[site.mode],
      newRequestId: () => newRequestId(site.mode),
    }),
    rewriteUrl: pathOf,
    frameworkErrors: refuseAddress(site),
  })
  // By default Node drops the fields after the 2,000th in silence, be it the idempotency key. Their size is bounded.
  app.server.maxHeadersCount = 0
  forgetUnused(app)
  readBodies(app)
  validate(app)
  app.decorateRequest('progress', null as never)
  app.addHook('onRequest', start(site))
  app.addHook('onRequest', allowOrigins(site))
  app.addHook('onRequest', admit(site))
  app.addHook('preValidation', refuseNuls)
  app.addHook('preValidation', bringUp(site))
  app.addHook('onSend', async (_, reply) => {
    if (site.isDraining()) reply.header('connection', 'close')
  })
  app.addHook('onResponse', noteRequest(site))
  app.setErrorHandler(sendProblem(site))
  return app
}

function responsesOf({ status = 200, answer, accepted, document }: Operation) {
  // A document goes out as it is.
  if (document !== undefined) return {}
  return accepted === undefined ? { [status]: answer } : { [status]: answer, 202: accepted.answer }
}

/** Makes the operations callable. Their names are unique: two would share a row of access.ts. */
export function addOperations(app: FastifyInstance, site: Site, operations: readonly Operation[]): void {
  const streamFrom = createStreams(app, site)
  for (const operation of operations) {
    const { params, query, body, streams } = operation
    app.route({
      method: operation.method,
      url: operation.path,
      config: { operation },
      schema: {
        ...(params ? { params } : {}),
        querystring: query ?? noQuery,
        ...(operation.method === 'GET' || operation.method === 'DELETE' ? {} : { body: body ?? noBody }),
        response: responsesOf(operation),
      },
      // Streams have an end of their own.
      ...(streams ? { handlerTimeout: longestTimerMs } : {}),
      handler: streams ? streamFrom(operation) : respond(operation, site),
    })
  }
  const paths = operations.map(({ id, path, method }) => ({ id, method, pattern: patternOf(path) }))
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0] as string
    const here = paths.filter(({ pattern }) => pattern.test(path))
    if (here.length === 0) throw new Refusal('unknown_path', {})
    const forPages = methodsFor(site, request, here)
    if (request.method === 'OPTIONS' && forPages.length > 0)
      return answerPreflight(site, request, reply, forPages)
    const allow = here.map(({ method }) => method).join(', ')
    throw new Refusal('method_not_allowed', {
      allow,
      detail: `This path takes ${allow}, not ${request.method}.`,
    })
  })
}

/** For a server that has no operations. */
export function refuseTheRest(app: FastifyInstance): void {
  app.setNotFoundHandler(async () => {
    throw new Refusal('unknown_path', {})
  })
}

const longestTimerMs = 2 ** 31 - 1
const noQuery = { type: 'object', properties: {}, additionalProperties: false }
const noBody = { type: 'object', properties: {}, additionalProperties: false }

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:[a-z_]+/g, '[^/]+')}/?$`)
}

function newRequestId(mode: Mode): string {
  return idFromUuid('request', mode, idMaker(machineTime(), drawSlot())())
}

/** Our own parser for every body: no second reader with other rules. */
function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, bytes: Buffer) => {
      const { 'content-encoding': coding = 'identity' } = headers
      if (coding.toLowerCase() === 'identity') return parseJsonBody(bytes)
      throw new Refusal('unsupported_media_type', { detail: 'Send the body without Content-Encoding.' })
    },
  )
}

/** A proxy may send the whole address. Routes, idempotency keys and logs go by the path alone. */
function pathOf({ url = '/' }: { readonly url?: string | undefined }): string {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

/** Bodies are taken as they are: `"1"` is no number. In a query everything is text, so there it is read as one. */
function validate(app: FastifyInstance): void {
  const build = AjvCompiler()
  const strictly = build({}, validatorOptions({ coerceTypes: false }))
  const fromText = build({}, validatorOptions({ coerceTypes: true }))
  app.setValidatorCompiler((route) => (route.httpPart === 'querystring' ? fromText(route) : strictly(route)))
}

function start(site: Site) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    prepare(site, request, reply)
    if (request.url.length > limits.urlCharacters)
      throw new Refusal('invalid_request', { detail: 'The address has more than 8 KB.' })
  }
}

function prepare(site: Site, request: FastifyRequest, reply: FastifyReply): void {
  const { current } = site.versions
  const nothing = { openedMs: null, caller: null, errorCode: null, replayed: false, answered: null }
  request.progress = { startedMs: monotonicMs(), version: current, ...nothing }
  reply.headers({
    'request-id': request.id,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  })
}

/** An address that the router cannot read meets no hook, and is answered in our form all the same. */
function refuseAddress(site: Site) {
  const answer = sendProblem(site)
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    prepare(site, request, reply)
    answer(error, request, reply)
  }
}

async function refuseNuls(request: FastifyRequest): Promise<void> {
  const faults = nulsIn(request.query)
  if (faults.length > 0) throw refusalFor(faults)
}

/** An old request takes the newest shape before it is validated. */
function bringUp(site: Site) {
  return async (request: FastifyRequest): Promise<void> => {
    const { operation } = request.routeOptions.config
    if (operation === undefined) return
    if (request.body === undefined && operation.method !== 'GET') request.body = {}
    if (request.progress.version === site.versions.current) return
    request.body = site.versions.up(request.progress.version, operation.id, request.body)
  }
}

function refusalFor(faults: readonly Fault[]): Refusal {
  const detail = faults.length === 1 ? '1 member is not valid.' : `${faults.length} members are not valid.`
  return new Refusal('invalid_request', { detail, errors: faults })
}

/**
 * The HTTP server of one environment or of the dashboard: limits, admission, operations, errors, and the
 * request log.
 */
import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifySerializerCompiler,
} from 'fastify'
import { machineTime, monotonicMs } from '../../kernel/clock.ts'
import { type Fault, Refusal } from '../../kernel/errors.ts'
import { idFromUuid, idMaker, type Mode, randomSlot } from '../../kernel/id.ts'
import { admit } from './admit.ts'
import { allowSlowBody, closeUnusedConnections, handleConnectionError } from './connection-errors.ts'
import { allowOrigins, methodsFor, respondToPreflight } from './cross-origin.ts'
import type { HttpContext } from './http-context.ts'
import { parseJsonBody } from './json-body.ts'
import { nearestPath } from './nearest-path.ts'
import type { Operation, UploadedFile } from './operation.ts'
import { recordRequest } from './record-request.ts'
import { respond } from './respond.ts'
import { sendProblem } from './send-problem.ts'
import { createStreams } from './stream.ts'
import { faultsOf, maxUrlCharacters, nulsIn, type SchemaError, validatorOptions } from './validation.ts'

/** Limits on the size and the duration of requests. */
const limits = {
  bodyBytes: 256 * 1024,
  headerBytes: 16 * 1024,
  urlCharacters: maxUrlCharacters,
  headersMs: 10_000,
  requestMs: 30_000,
  handlerMs: 30_000,
  keepAliveMs: 65_000,
  /**
   * The timeout for a connection on which no data is transferred, for example because the client does not
   * read the response.
   */
  inactivityMs: 60_000,
  checkMs: 1_000,
}

/** With `true`, only the last forwarded address is trusted: a client can forge the addresses before it. */
function trustedProxies(trusted: HttpContext['trustProxy']) {
  if (trusted === true) return (_: string, hop: number) => hop === 0
  return trusted === false ? false : [...trusted]
}

export function createServer(context: HttpContext): FastifyInstance {
  const timeouts = { ...limits, ...context.timeouts }
  const app = Fastify({
    logger: false,
    genReqId: () => newRequestId(context.mode),
    requestIdHeader: false,
    bodyLimit: limits.bodyBytes,
    handlerTimeout: timeouts.handlerMs,
    requestTimeout: timeouts.requestMs,
    keepAliveTimeout: timeouts.keepAliveMs,
    connectionTimeout: timeouts.inactivityMs,
    exposeHeadRoutes: false,
    // While closing, requests are still answered normally: Fastify's own 503 response does not have our error
    // format.
    return503OnClosing: false,
    trustProxy: trustedProxies(context.trustProxy),
    http: {
      maxHeaderSize: limits.headerBytes,
      headersTimeout: timeouts.headersMs,
      connectionsCheckingInterval: timeouts.checkMs,
    },
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: 200 },
    schemaErrorFormatter: (errors) => refusalFor(faultsOf(errors as readonly SchemaError[])),
    clientErrorHandler: handleConnectionError({
      address: () => context.addresses[context.mode],
      newRequestId: () => newRequestId(context.mode),
    }),
    rewriteUrl: pathOf,
    frameworkErrors: rejectInvalidUrl(context),
  })
  // By default Node silently drops headers after the 2,000th, which could be the idempotency key. Their size
  // is limited instead.
  app.server.maxHeadersCount = 0
  closeUnusedConnections(app)
  addBodyParser(app)
  compileSchemas(app)
  app.decorateRequest('state', null as never)
  app.addHook('onRequest', startRequest(context))
  app.addHook('onRequest', allowOrigins(context))
  app.addHook('onRequest', admit(context))
  app.addHook('onRequest', requireUpload)
  app.addHook('preValidation', rejectNuls)
  app.addHook('preValidation', upgradeBody(context))
  app.addHook('onSend', async (_, reply) => {
    if (context.isDraining()) reply.header('connection', 'close')
  })
  app.addHook('onResponse', recordRequest(context))
  app.setErrorHandler(sendProblem(context))
  return app
}

function responsesOf({ status = 200, response, accepted, document }: Operation) {
  // Documents are not serialized as JSON.
  if (document !== undefined) return {}
  return accepted === undefined ? { [status]: response } : { [status]: response, 202: accepted.response }
}

/** Registers the operations. Their ids are unique: duplicates would share a row of access.ts. */
export function addOperations(
  app: FastifyInstance,
  context: HttpContext,
  operations: readonly Operation[],
): void {
  const streamFrom = createStreams(app, context)
  for (const operation of operations) {
    const { params, query, streams, maxBodyBytes = limits.bodyBytes } = operation
    app.route({
      method: operation.method,
      url: operation.path,
      config: { operation },
      bodyLimit: maxBodyBytes,
      schema: {
        ...(params ? { params } : {}),
        querystring: query ?? noQuery,
        ...bodySchemaOf(operation),
        response: responsesOf(operation),
      },
      ...timeLimitsOf(operation),
      handler: streams ? streamFrom(operation) : respond(operation, context),
    })
  }
  const paths = operations.map(({ id, path, method }) => ({ id, method, pattern: patternOf(path) }))
  app.setNotFoundHandler(async (request, reply) => {
    const path = request.url.split('?', 1)[0] as string
    const operationsAtPath = paths.filter(({ pattern }) => pattern.test(path))
    if (operationsAtPath.length === 0) throw unknownPath(path, operations)
    const allowedMethods = methodsFor(context, request, operationsAtPath)
    if (request.method === 'OPTIONS' && allowedMethods.length > 0)
      return respondToPreflight(context, request, reply, allowedMethods)
    const allow = operationsAtPath.map(({ method }) => method).join(', ')
    throw new Refusal('method_not_allowed', {
      allow,
      detail: `This path supports ${allow}, not ${request.method}.`,
    })
  })
}

function bodySchemaOf({ method, body, upload }: Operation) {
  const takesJson = method !== 'GET' && method !== 'DELETE' && upload === undefined
  return takesJson ? { body: body ?? noBody } : {}
}

/** Streams have their own time limit. An upload may continue for as long as bytes arrive. */
function timeLimitsOf({ streams, upload }: Operation) {
  if (upload !== undefined) return { handlerTimeout: maxTimerMs, onRequest: allowSlowBody }
  return streams ? { handlerTimeout: maxTimerMs } : {}
}

function unknownPath(path: string, operations: readonly Operation[]): Refusal {
  const suggestion = nearestPath(
    path,
    operations.map((operation) => operation.path),
  )
  return new Refusal(
    'unknown_path',
    suggestion === null ? {} : { detail: `There is no operation at this path. Did you mean ${suggestion}?` },
  )
}

/** For servers without operations: unknown paths get an error in our format. */
export function rejectUnknownRoutes(app: FastifyInstance): void {
  app.setNotFoundHandler(async () => {
    throw new Refusal('unknown_path', {})
  })
}

const maxTimerMs = 2 ** 31 - 1
const noQuery = { type: 'object', properties: {}, additionalProperties: false }
const noBody = { type: 'object', properties: {}, additionalProperties: false }

function patternOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(/:[a-z_]+/g, '[^/]+')}/?$`)
}

function newRequestId(mode: Mode): string {
  return idFromUuid('request', mode, idMaker(machineTime(), randomSlot())())
}

/** All bodies use our own parser, so that there is no second parser with different rules. */
function addBodyParser(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async ({ headers }: FastifyRequest, bytes: Buffer) => {
      requireIdentityCoding(headers)
      return parseJsonBody(bytes)
    },
  )
  // The content of a file is not parsed here: the operation reads the stream.
  app.addContentTypeParser(
    'text/csv',
    async ({ headers, routeOptions }: FastifyRequest, file: UploadedFile) => {
      requireIdentityCoding(headers)
      if (routeOptions.config.operation?.upload === 'text/csv') return file
      throw new Refusal('unsupported_media_type', {})
    },
  )
}

function requireIdentityCoding({ 'content-encoding': coding = 'identity' }: FastifyRequest['headers']): void {
  if (coding.toLowerCase() === 'identity') return
  throw new Refusal('unsupported_media_type', { detail: 'Send the body without Content-Encoding.' })
}

/** Rejects uploads with any other content type before they are read. */
async function requireUpload(request: FastifyRequest): Promise<void> {
  const { operation } = request.routeOptions.config
  if (operation?.upload === undefined) return
  const mediaType = request.headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType !== operation.upload)
    throw new Refusal('unsupported_media_type', {
      detail: `Send the file as the request body, with Content-Type: ${operation.upload}.`,
    })
}

/** A proxy may send an absolute URL. Routes, idempotency keys and logs use only the path. */
function pathOf({ url = '/' }: { readonly url?: string | undefined }): string {
  const path = url.replace(/^https?:\/\/[^/?]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}

/**
 * Compiling all schemas takes longer than the rest of the startup, so each is compiled when it is first used.
 * The live server and the test server share the compiled schemas.
 */
function compileSchemas(app: FastifyInstance): void {
  app.setValidatorCompiler((route) => {
    const compile = route.httpPart === 'querystring' ? parseQuery : checkBody
    return (data) => {
      const validate = compile(route)
      return validate(data) === true || { error: validate.errors ?? [] }
    }
  })
  app.setSerializerCompiler((route) => (data) => serialize(route)(data))
}

const buildValidator = AjvCompiler()
/** Types in bodies are not coerced: `"1"` is not a number. */
const checkBody = oncePerSchema(buildValidator({}, validatorOptions({ coerceTypes: false })))
/** In a query everything is text, so types are coerced. */
const parseQuery = oncePerSchema(buildValidator({}, validatorOptions({ coerceTypes: true })))
const buildSerializer = SerializerSelector()()
const serialize = oncePerSchema((route: Parameters<FastifySerializerCompiler<unknown>>[0]) =>
  buildSerializer({ ...route, httpStatus: route.httpStatus ?? 'default' }),
)

/** Compiles each schema once per process. Equal schemas of two servers are different objects. */
function oncePerSchema<Route extends { readonly schema?: unknown }, Compiled>(
  compile: (route: Route) => Compiled,
): (route: Route) => Compiled {
  const compiledByText = new Map<string, Compiled>()
  const compiledByRoute = new WeakMap<Route, Compiled>()
  return (route) => {
    const known = compiledByRoute.get(route)
    if (known !== undefined) return known
    const text = JSON.stringify(route.schema)
    const compiled = compiledByText.get(text) ?? compile(route)
    compiledByText.set(text, compiled)
    compiledByRoute.set(route, compiled)
    return compiled
  }
}

function startRequest(context: HttpContext) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    initializeRequest(context, request, reply)
    if (request.url.length > limits.urlCharacters)
      throw new Refusal('invalid_request', {
        detail: 'The URL must not exceed 8 KB. Move long values into the request body.',
      })
  }
}

function initializeRequest(context: HttpContext, request: FastifyRequest, reply: FastifyReply): void {
  const { current } = context.versions
  const initialState = { openedMs: null, caller: null, errorCode: null, replayed: false, responseBody: null }
  request.state = { startedMs: monotonicMs(), version: current, ...initialState }
  reply.headers({
    'request-id': request.id,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000; includeSubDomains',
  })
}

/** A URL that the router cannot parse reaches no hook, but still gets an error in our format. */
function rejectInvalidUrl(context: HttpContext) {
  const send = sendProblem(context)
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
    initializeRequest(context, request, reply)
    send(error, request, reply)
  }
}

async function rejectNuls(request: FastifyRequest): Promise<void> {
  const faults = nulsIn(request.query)
  if (faults.length > 0) throw refusalFor(faults)
}

/** Converts the body of an older API version to the newest shape before it is validated. */
function upgradeBody(context: HttpContext) {
  return async (request: FastifyRequest): Promise<void> => {
    const { operation } = request.routeOptions.config
    if (operation === undefined || operation.upload !== undefined) return
    if (request.body === undefined && operation.method !== 'GET') request.body = {}
    if (request.state.version === context.versions.current) return
    request.body = context.versions.up(request.state.version, operation.id, request.body)
  }
}

function refusalFor(faults: readonly Fault[]): Refusal {
  return new Refusal('invalid_request', { errors: faults })
}

/** Sends responses. Each mode except `plain` is a failure that occurs on real networks. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from './clock.ts'

export type ResponseMode =
  | 'plain'
  /** No response; after two minutes the connection is closed. */
  | 'silence'
  | 'reset'
  /** The connection is closed without a response. */
  | 'hang_up'
  | 'server_error'
  | 'html'
  /** The JSON is truncated. */
  | 'cut'
  /** Reports a duplicate transaction instead of the result. */
  | 'duplicate_notice'

export type Reply = {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  /** An object is sent as JSON, a string unchanged; undefined is an empty body. */
  readonly body?: object | string
  readonly responseMode?: ResponseMode
  readonly delayMs?: number
  /** The connection is closed after this many bytes of the response, including its headers. */
  readonly cutAfterBytes?: number
  /** The body of a response with status 500, if it does not follow the protocol. */
  readonly serverError?: object
  /** Called after the response was sent. */
  readonly afterSend?: () => unknown
}

/** Longer than any client timeout, but limited, because open connections use resources on both sides. */
const silenceMs = 120_000

const internalError = { error: { code: 'server_error', message: 'Internal error.' } }
const duplicate = { code: 'duplicate_transaction', network_code: '94', message: 'Duplicate transmission.' }

type Sender = (request: IncomingMessage, response: ServerResponse, reply: Reply, clock: Clock) => void

const senders: { readonly [M in ResponseMode]: Sender } = {
  plain: (_request, response, reply) => write(response, reply),
  silence: (request, response, _reply, clock) => {
    const cancelTimeout = clock.schedule(clock.now() + silenceMs, () => request.socket.destroy())
    response.on('close', cancelTimeout)
  },
  reset: (request) => void request.socket.resetAndDestroy(),
  hang_up: (request) => void request.socket.destroy(),
  server_error: (_request, response, { serverError }) =>
    write(response, { status: 500, body: serverError ?? internalError }),
  html: (_request, response) => {
    const headers = { 'content-type': 'text/html' }
    write(response, { status: 200, headers, body: '<!doctype html><title>Please wait</title>' })
  },
  cut: (_request, response, { status, body }) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    // Content-Length matches the truncated text, so that the response looks complete.
    const headers = { 'content-type': 'application/json' }
    write(response, { status, headers, body: text.slice(0, text.length / 2) })
  },
  duplicate_notice: (_request, response, { body }) =>
    write(response, { status: 200, body: { ...(body as object), status: 'declined', decline: duplicate } }),
}

export async function send(request: IncomingMessage, response: ServerResponse, reply: Reply, clock: Clock) {
  if (reply.delayMs !== undefined) await clock.sleep(reply.delayMs)
  if (reply.cutAfterBytes === undefined)
    senders[reply.responseMode ?? 'plain'](request, response, reply, clock)
  else writeStart(request, reply, reply.cutAfterBytes)
  await reply.afterSend?.()
}

function write(response: ServerResponse, { status, headers = {}, body = '' }: Reply): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? {} : { 'content-type': 'application/json' }
  response.writeHead(status, { ...type, 'content-length': Buffer.byteLength(text), ...headers }).end(text)
}

/** Writes the first bytes of the response directly to the connection, and closes it. */
function writeStart(
  request: IncomingMessage,
  { status, headers = {}, body = '' }: Reply,
  bytes: number,
): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const lines = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text), ...headers }
  const head = Object.entries(lines).map(([name, value]) => `${name}: ${value}\r\n`)
  const message = Buffer.from(`HTTP/1.1 ${status} Status\r\n${head.join('')}\r\n${text}`)
  if (bytes >= message.length) request.socket.end(message)
  else request.socket.write(message.subarray(0, bytes), () => request.socket.destroy())
}

/**
 * How an answer leaves, or does not. Each manner is what a sender has to live with on real networks.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from './clock.ts'

export type Manner =
  | 'plain'
  /** Nothing comes; after a while the connection is closed. */
  | 'silence'
  | 'reset'
  /** The connection is closed without a word, as if nobody had been there. */
  | 'hang_up'
  | 'server_error'
  | 'html'
  | 'cut'
  | 'duplicate_notice'

export type Reply = {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  /** An object is sent as JSON, a text as it is; nothing is an answer without a body. */
  readonly body?: object | string
  readonly manner?: Manner
  readonly afterMs?: number
  /** Runs once the answer has left. */
  readonly afterwards?: () => unknown
}

/** Longer than any sender waits, and not for ever: an open connection costs both sides. */
const silenceMs = 120_000

const duplicate = { code: 'duplicate_transaction', network_code: '94', message: 'Duplicate transmission.' }

type Way = (request: IncomingMessage, response: ServerResponse, reply: Reply, clock: Clock) => void

const ways: { readonly [M in Manner]: Way } = {
  plain: (_request, response, reply) => write(response, reply),
  silence: (request, response, _reply, clock) => {
    const forget = clock.at(clock.now() + silenceMs, () => request.socket.destroy())
    response.on('close', forget)
  },
  reset: (request) => void request.socket.resetAndDestroy(),
  hang_up: (request) => void request.socket.destroy(),
  server_error: (_request, response) =>
    write(response, { status: 500, body: { error: { code: 'server_error', message: 'Something broke.' } } }),
  html: (_request, response) => {
    const headers = { 'content-type': 'text/html' }
    write(response, { status: 200, headers, body: '<!doctype html><title>Please wait</title>' })
  },
  cut: (_request, response, { status, body }) => {
    const text = JSON.stringify(body)
    // The length is that of the half, so that it looks like a whole answer.
    const headers = { 'content-type': 'application/json' }
    write(response, { status, headers, body: text.slice(0, text.length / 2) })
  },
  duplicate_notice: (_request, response, { body }) =>
    write(response, { status: 200, body: { ...(body as object), status: 'declined', decline: duplicate } }),
}

export async function send(request: IncomingMessage, response: ServerResponse, reply: Reply, clock: Clock) {
  if (reply.afterMs !== undefined) await clock.sleep(reply.afterMs)
  ways[reply.manner ?? 'plain'](request, response, reply, clock)
  await reply.afterwards?.()
}

function write(response: ServerResponse, { status, headers = {}, body = '' }: Reply): void {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const type = typeof body === 'string' ? {} : { 'content-type': 'application/json' }
  response.writeHead(status, { ...type, 'content-length': Buffer.byteLength(text), ...headers }).end(text)
}

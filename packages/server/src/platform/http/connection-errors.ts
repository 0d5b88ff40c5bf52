/** Closes connections that send invalid HTTP, or on which no request was sent. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../kernel/errors.ts'
import { problemOf } from './problems.ts'

/** The response in progress on a connection; Node stores it on the socket. */
type PendingResponse = ServerResponse | null | undefined

const statusByErrorCode: Record<string, string> = {
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Data that an error response contains. */
type ErrorContext = { readonly address: () => string; readonly newRequestId: () => string }

/**
 * Bytes that are not HTTP, or arrive too slowly, get a short error and the connection is closed: there is no
 * request to answer. Headers that are too long come from a real client, which gets a full error.
 */
export function handleConnectionError(context: ErrorContext) {
  return (error: Error & { code?: string }, socket: Socket & { _httpMessage?: PendingResponse }): void => {
    const { _httpMessage: pendingResponse } = socket
    if (isSlowUpload(error, socket)) return
    if (!socket.writable) {
      socket.destroy()
    } else if (pendingResponse && (pendingResponse.headersSent || pendingResponse.req.complete)) {
      // The error follows a complete request: an error response would be mistaken for the response to that
      // request.
      pendingResponse.once('close', () => socket.destroySoon())
    } else {
      socket.end(error.code === 'HPE_HEADER_OVERFLOW' ? headersTooLarge(context) : shortError(error))
    }
  }
}

function isSlowUpload({ code }: { readonly code?: string }, socket: Socket): boolean {
  return code === 'ERR_HTTP_REQUEST_TIMEOUT' && slowBodies.has(socket)
}

/** Connections that are receiving an upload. The timeout for idle connections still applies to them. */
const slowBodies = new WeakSet<Socket>()

/** Exempts an upload from the timeout for whole requests. Node reports that timeout once per request. */
export async function allowSlowBody({ raw: { socket } }: FastifyRequest, reply: FastifyReply): Promise<void> {
  slowBodies.add(socket)
  reply.raw.once('close', () => slowBodies.delete(socket))
}

function shortError({ code = '' }: { readonly code?: string }): string {
  return messageOf(statusByErrorCode[code] ?? '400 Bad Request', [], '')
}

function headersTooLarge({ address, newRequestId }: ErrorContext): string {
  const problem = problemOf(new Refusal('head_too_large', {}), newRequestId(), address())
  const fields = [
    'content-type: application/problem+json; charset=utf-8',
    `request-id: ${problem.request_id}`,
  ]
  return messageOf('431 Request Header Fields Too Large', fields, JSON.stringify(problem))
}

function messageOf(status: string, fields: readonly string[], body: string): string {
  const length = `content-length: ${Buffer.byteLength(body)}`
  return [`HTTP/1.1 ${status}`, 'connection: close', length, ...fields, '', body].join('\r\n')
}

/**
 * Browsers and load balancers open connections before they need them. Node does not treat a connection
 * without any request as idle, so a closing server would wait for it until the process is killed.
 */
export function closeUnusedConnections(app: FastifyInstance): void {
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('preClose', async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  })
}

/** The end of a connection that cannot be understood, or on which nothing was ever asked. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../../kernel/errors.ts'
import { problemOf } from './problems.ts'

/** What is being answered on a connection; Node keeps it there. */
type Answering = ServerResponse | null | undefined

const words: Record<string, string> = {
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Who speaks, should there be something to explain. */
type Speaker = { readonly address: () => string; readonly newRequestId: () => string }

/**
 * Bytes that are not HTTP, or too slow: said briefly, then closed. There is no request to answer. A head that is
 * too long is one that somebody wrote, and is told what is wrong with it.
 */
export function hangUpOn(speaker: Speaker) {
  return (error: Error & { code?: string }, socket: Socket & { _httpMessage?: Answering }): void => {
    const { _httpMessage: answering } = socket
    if (!socket.writable) {
      socket.destroy()
    } else if (answering && (answering.headersSent || answering.req.complete)) {
      // It follows a request that is whole: words of ours would be taken for the answer to that one.
      answering.once('close', () => socket.destroySoon())
    } else {
      socket.end(error.code === 'HPE_HEADER_OVERFLOW' ? tooLarge(speaker) : brief(error))
    }
  }
}

function brief({ code = '' }: { readonly code?: string }): string {
  return messageOf(words[code] ?? '400 Bad Request', [], '')
}

function tooLarge({ address, newRequestId }: Speaker): string {
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
 * Browsers and balancers open connections before they need them. One on which nothing was ever asked is not idle to
 * Node, and a server that closes would wait for it until the process has to be ended by force.
 */
export function forgetUnused(app: FastifyInstance): void {
  const open = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => open.delete(socket))
  })
  app.addHook('preClose', async () => {
    for (const socket of open) if (socket.bytesRead === 0) socket.destroy()
  })
}

// A proxy between the server and a provider that cuts connections: before a request is read, after it is read and
// before the provider receives it, or after any number of bytes of the response. A request names its cut in a header,
// so that many requests with different cuts can run concurrently. Each cut applies once.

import { Agent, createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

/** A number is the number of bytes of the response that arrive, including its status line and headers. */
export type Cut = 'before_request' | 'after_request' | number

const header = 'x-cut'

/** The header of a request with a cut. The name must be unique. */
export function cutHeader(name: string, cut: Cut): Readonly<Record<string, string>> {
  return { [header]: `${name} ${cut}` }
}

export type CutProxy = {
  readonly url: string
  /** The number of bytes of the complete response, by the name of the cut. 0 if the provider did not respond. */
  readonly applied: ReadonlyMap<string, number>
  stop(): Promise<void>
}

export async function startCutProxy(target: string): Promise<CutProxy> {
  const applied = new Map<string, number>()
  const agent = new Agent({ keepAlive: true })
  const server = createServer(async (request, response) => {
    const { socket } = request
    const cut = cutOf(request, applied)
    if (cut !== null) applied.set(cut.name, 0)
    if (cut?.at === 'before_request') return void socket.resetAndDestroy()
    const body = Buffer.concat(await request.toArray())
    if (cut?.at === 'after_request') return void socket.resetAndDestroy()
    try {
      const reply = await forward(target, request, body, agent)
      if (cut === null) return void response.writeHead(reply.status, reply.headers).end(reply.body)
      applied.set(cut.name, reply.message.length)
      sendStart(socket, reply.message, cut.at)
    } catch {
      // The provider has closed the connection, so the proxy does the same.
      socket.destroy()
    }
  })
  const url = await listen(server)
  return {
    url,
    applied,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      agent.destroy()
    },
  }
}

type ResponseCut = { readonly name: string; readonly at: Cut }

/** Null for a request without a cut, and if the cut was already applied. */
function cutOf({ headers }: IncomingMessage, applied: ReadonlyMap<string, number>): ResponseCut | null {
  const [name = '', at = ''] = headers[header]?.toString().split(' ') ?? []
  if (name === '' || applied.has(name)) return null
  return { name, at: at === 'before_request' || at === 'after_request' ? at : Number(at) }
}

type ForwardedReply = {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
  /** The response as the provider sent it. */
  readonly message: Buffer
}

function forward(
  target: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
  agent: Agent,
): Promise<ForwardedReply> {
  const { promise, resolve, reject } = Promise.withResolvers<ForwardedReply>()
  const { [header]: _, ...others } = headers
  const options = { agent, headers: others, ...(method === undefined ? {} : { method }) }
  const outgoing = httpRequest(target + url, options, (incoming) => {
    incoming.toArray().then((chunks) => resolve(replyOf(incoming, Buffer.concat(chunks))), reject)
  })
  outgoing.on('error', reject).end(body)
  return promise
}

function replyOf(incoming: IncomingMessage, body: Buffer): ForwardedReply {
  const { statusCode: status = 0, statusMessage = '', headers, rawHeaders } = incoming
  const lines = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`))
  const head = `HTTP/1.1 ${status} ${statusMessage}\r\n${lines.join('')}\r\n`
  return { status, headers, body, message: Buffer.concat([Buffer.from(head), body]) }
}

function sendStart(socket: Socket, message: Buffer, at: Cut): void {
  const bytes = Number(at)
  if (bytes === 0) socket.destroy()
  else if (bytes >= message.length) socket.end(message)
  else socket.write(message.subarray(0, bytes), () => socket.destroy())
}

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

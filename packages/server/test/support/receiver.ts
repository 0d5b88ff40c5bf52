// A webhook receiver for one test file: a server on loopback that records the raw requests and responds as
// the test configures it. Every path is a separate endpoint.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'

export type ReceivedRequest = {
  readonly path: string
  /** Names in lower case; the values of a repeated header are joined, as HTTP defines it. */
  readonly headers: Readonly<Record<string, string>>
  /** The raw body: signatures are computed over exactly this text. */
  readonly body: string
  readonly at: Date
}

/** The response to a request. The default is 200 without a body. */
export type ReceiverAnswer = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly delayMs?: number
  /** Accepts the request and never responds. */
  readonly hang?: true
  /** Accepts the request and closes the connection. */
  readonly reset?: true
}

export type Receiver = {
  readonly url: string
  /** The requests since the last `clear`, the oldest first. */
  readonly requests: readonly ReceivedRequest[]
  /**
   * Determines the response. `nth` counts the requests to this path since the last `clear`, starting with 1.
   */
  answer: (request: ReceivedRequest, nth: number) => ReceiverAnswer
  /** Deletes all requests, and responds with 200 again. */
  clear(): void
  /** The URL of another path. */
  at(path: string): string
}

const defaultResponse = (): ReceiverAnswer => ({})

/** Call this at the top of a file. The server is closed after the last test of the file. */
export async function receiverForThisFile(): Promise<Receiver> {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    // Ignore a request that the sender aborted.
    const request = await readRequest(incoming).catch(() => null)
    if (request === null) return
    requests.push(request)
    const nth = requests.filter(({ path }) => path === request.path).length
    await sendResponse(outgoing, receiver.answer(request, nth))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  afterAll(() => {
    server.close()
    server.closeAllConnections()
  })

  const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  const receiver: Receiver = {
    url: at('/hook'),
    requests,
    answer: defaultResponse,
    clear() {
      requests.length = 0
      receiver.answer = defaultResponse
    },
    at,
  }
  return receiver
}

async function readRequest(incoming: IncomingMessage): Promise<ReceivedRequest> {
  const at = new Date()
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const headers = Object.fromEntries(
    Object.entries(incoming.headersDistinct).map(([name, values = []]) => [name, values.join(', ')]),
  )
  return { path: incoming.url ?? '', headers, body: Buffer.concat(chunks).toString('utf8'), at }
}

async function sendResponse(outgoing: ServerResponse, response: ReceiverAnswer): Promise<void> {
  const { status = 200, headers = {}, body = '', delayMs = 0, hang = false, reset = false } = response
  if (delayMs > 0) await sleep(delayMs)
  if (hang) return
  if (reset) return void outgoing.socket?.resetAndDestroy()
  outgoing.writeHead(status, headers).end(body)
}

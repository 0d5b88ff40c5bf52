// A receiver of webhooks for one file of tests: a server on loopback that keeps what comes as it came, and
// answers as it is told. Every path is an endpoint of its own.

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll } from 'vitest'

export type ReceivedRequest = {
  readonly path: string
  /** Names in lower case; a header that came more than once is one list, as HTTP has it. */
  readonly headers: Readonly<Record<string, string>>
  /** The text as it was sent: signatures are over exactly this. */
  readonly body: string
  readonly at: Date
}

/** 200 without a body, unless it says otherwise. */
export type ReceiverAnswer = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  readonly delayMs?: number
  /** Takes the request and never says a word. */
  readonly hang?: true
  /** Takes the request and cuts the connection. */
  readonly reset?: true
}

export type Receiver = {
  readonly url: string
  /** What came since the last `clear`, the oldest first. */
  readonly requests: readonly ReceivedRequest[]
  /** How it answers; `nth` counts the requests of this path since the last `clear`, from 1. */
  answer: (request: ReceivedRequest, nth: number) => ReceiverAnswer
  /** Forgets what came, and answers 200 again. */
  clear(): void
  /** The address of another path. */
  at(path: string): string
}

const answerOk = (): ReceiverAnswer => ({})

/** Called at the top of a file; it is closed when the file is done. */
export async function receiverForThisFile(): Promise<Receiver> {
  const requests: ReceivedRequest[] = []
  const server = createServer(async (incoming, outgoing) => {
    // A sender that gives up in the middle of its request has sent none.
    const request = await readRequest(incoming).catch(() => null)
    if (request === null) return
    requests.push(request)
    const nth = requests.filter(({ path }) => path === request.path).length
    await reply(outgoing, receiver.answer(request, nth))
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
    answer: answerOk,
    clear() {
      requests.length = 0
      receiver.answer = answerOk
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

async function reply(outgoing: ServerResponse, answer: ReceiverAnswer): Promise<void> {
  const { status = 200, headers = {}, body = '', delayMs = 0, hang = false, reset = false } = answer
  if (delayMs > 0) await sleep(delayMs)
  if (hang) return
  if (reset) return void outgoing.socket?.resetAndDestroy()
  outgoing.writeHead(status, headers).end(body)
}

// A receiver that behaves as badly as a test wants: it speaks bytes, not HTTP, and counts who came.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { onTestFinished } from 'vitest'

export type Stranger = {
  readonly port: number
  /** How many connections there were. */
  connections: number
  /** What came, each time there was something to read. Requests of tests are small enough to come in one piece. */
  readonly requests: string[]
  /** Takes no more connections; those that are open stay. */
  stopListening(): void
}

/** What it does with the nth request of a connection, the first being 1. */
export type Manners = (socket: Socket, nth: number) => void

export const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** Listens until the test is over; on every address of this machine, if it is not told which. */
export async function aStranger(
  manners: Manners,
  certificate?: TlsOptions,
  host?: string,
): Promise<Stranger> {
  const stranger = {
    port: 0,
    connections: 0,
    requests: [] as string[],
    stopListening: () => void server.close(),
  }
  const sockets = new Set<Socket>()
  const onConnection = (socket: Socket) => {
    let requests = 0
    socket.on('error', () => {})
    socket.on('data', (chunk) => {
      requests += 1
      stranger.requests.push(chunk.toString())
      manners(socket, requests)
    })
  }
  const server =
    certificate === undefined ? createServer(onConnection) : createTlsServer(certificate, onConnection)
  server.on('connection', (socket: Socket) => {
    stranger.connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) =>
    server.listen({ port: 0, ...(host === undefined ? {} : { host }) }, resolve),
  )
  stranger.port = (server.address() as AddressInfo).port
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) server.close()
  })
  return stranger
}

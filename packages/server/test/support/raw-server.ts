// A server that sends arbitrary bytes instead of valid HTTP, and counts connections.

import { type AddressInfo, createServer, type Socket } from 'node:net'
import { createServer as createTlsServer, type TlsOptions } from 'node:tls'
import { onTestFinished } from 'vitest'

export type RawServer = {
  readonly port: number
  /** The number of connections. */
  connections: number
  /** The received data chunks. Requests of tests are small enough to arrive in one chunk. */
  readonly requests: string[]
  /** Rejects new connections; open ones stay. */
  stopListening(): void
}

/** Handles a request. `number` counts the requests of a connection, starting with 1. */
export type RequestHandler = (socket: Socket, number: number) => void

export const ok = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'

/** Listens, by default on all addresses of this machine, and stops when the test ends. */
export async function startRawServer(
  handleRequest: RequestHandler,
  certificate?: TlsOptions,
  host?: string,
): Promise<RawServer> {
  const rawServer = {
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
      rawServer.requests.push(chunk.toString())
      handleRequest(socket, requests)
    })
  }
  const server =
    certificate === undefined ? createServer(onConnection) : createTlsServer(certificate, onConnection)
  server.on('connection', (socket: Socket) => {
    rawServer.connections += 1
    sockets.add(socket)
    socket.on('error', () => {})
  })
  await new Promise<void>((resolve) =>
    server.listen({ port: 0, ...(host === undefined ? {} : { host }) }, resolve),
  )
  rawServer.port = (server.address() as AddressInfo).port
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    if (server.listening) server.close()
  })
  return rawServer
}

// A proxy in front of PostgreSQL that drops the response to a COMMIT, so that the client cannot know the
// outcome. It parses just enough of the protocol to recognize a COMMIT.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type FaultProxy = {
  /** The URL of the database behind the proxy. */
  url(databaseUrl: string): string
  /** The next COMMIT reaches Postgres, but the connection is closed instead of returning the response. */
  dropNextCommitResponse(): void
  /** From now on drops all bytes without closing connections, as when a machine loses power. */
  swallow(): void
  /** New connections work again, but earlier connections stay blocked. */
  heal(): void
  readonly droppedCount: () => number
  close(): void
}

const commit = Buffer.from('commit\0')

export async function startFaultProxy(port: number): Promise<FaultProxy> {
  let dropsNextCommit = false
  let dropsEverything = false
  let droppedResponses = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    let closesOnResponse = false
    let isBlocked = dropsEverything
    const checkBlocked = () => {
      isBlocked ||= dropsEverything
      return isBlocked
    }
    client.on('data', (bytes) => {
      if (checkBlocked()) return
      if (dropsNextCommit && bytes.includes(commit)) {
        dropsNextCommit = false
        closesOnResponse = true
        droppedResponses += 1
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (checkBlocked()) return
      // These bytes confirm the commit. The client never receives them.
      if (closesOnResponse) client.destroy()
      else client.write(bytes)
    })
    client.on('close', () => upstream.end())
    upstream.on('close', () => client.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')

  return {
    url: (databaseUrl) =>
      Object.assign(new URL(databaseUrl), { port: String((server.address() as AddressInfo).port) }).href,
    dropNextCommitResponse: () => {
      dropsNextCommit = true
    },
    swallow: () => {
      dropsEverything = true
    },
    heal: () => {
      dropsEverything = false
    },
    droppedCount: () => droppedResponses,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

// A proxy in front of Postgres that loses the answer to a COMMIT: the client cannot know whether it
// happened. It reads just enough of the protocol to see one go by.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export type FaultProxy = {
  /** The address of the database behind the proxy. */
  url(databaseUrl: string): string
  /** The next COMMIT reaches Postgres, but its answer never comes back: the connection is cut instead. */
  loseNextCommitAnswer(): void
  /** From now on nothing goes through, and nobody is told: as when a machine loses its power. */
  swallow(): void
  /** New connections go through again; those of before stay dead. */
  heal(): void
  readonly lost: () => number
  close(): void
}

const commit = Buffer.from('commit\0')

export async function startFaultProxy(port: number): Promise<FaultProxy> {
  let armed = false
  let swallowing = false
  let lost = 0
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(port, '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    let cutting = false
    let dead = swallowing
    const isDead = () => {
      dead ||= swallowing
      return dead
    }
    client.on('data', (bytes) => {
      if (isDead()) return
      if (armed && bytes.includes(commit)) {
        armed = false
        cutting = true
        lost += 1
      }
      upstream.write(bytes)
    })
    upstream.on('data', (bytes) => {
      if (isDead()) return
      // What comes back now tells that the commit is done; the client never hears it.
      if (cutting) client.destroy()
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
    loseNextCommitAnswer: () => {
      armed = true
    },
    swallow: () => {
      swallowing = true
    },
    heal: () => {
      swallowing = false
    },
    lost: () => lost,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

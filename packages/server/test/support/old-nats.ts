// A NATS server that reports another version: a proxy that changes the version in the INFO message.

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export async function startOldNats(url: string, version: string): Promise<{ url: string; close(): void }> {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(new URL(url).port), '127.0.0.1')
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => sockets.delete(socket))
    }
    // The server sends INFO first, and again when its configuration changes. Everything else is forwarded
    // unchanged.
    upstream.on('data', (bytes) => {
      const text = bytes.toString('latin1')
      client.write(text.replace(/^(INFO .*"version":")[^"]*/m, `$1${version}`), 'latin1')
    })
    upstream.on('end', () => client.end())
    client.pipe(upstream)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

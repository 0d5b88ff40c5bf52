// A proxy that drops some responses: the request reaches the server, but its response is lost.

import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** Returns the URL of the proxy. `isLost` selects the dropped responses by method and path. */
export async function startLossyProxy(
  upstreamUrl: string,
  isLost: (call: string) => boolean,
): Promise<string> {
  const server = createServer((incoming, response) => {
    const { method = '', url = '', headers } = incoming
    const upstreamRequest = request(upstreamUrl + url, { method, headers }, (upstreamResponse) => {
      if (isLost(`${method} ${url}`)) return incoming.socket.destroy()
      response.writeHead(upstreamResponse.statusCode ?? 502, upstreamResponse.headers)
      upstreamResponse.pipe(response)
    })
    incoming.pipe(upstreamRequest)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

// A receiver URL that is unreachable at first, until a server is started there.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export async function unreachableReceiver() {
  let requestCount = 0
  const createReceiver = () =>
    createServer((request, response) => {
      requestCount += 1
      request.resume()
      response.end()
    })
  const first = createReceiver().listen(0, '127.0.0.1')
  await once(first, 'listening')
  const { port } = first.address() as AddressInfo
  first.close()
  return {
    url: `http://127.0.0.1:${port}/hook`,
    /** Starts the server, and returns a counter of the requests since then. */
    startServer() {
      const server = createReceiver().listen(port, '127.0.0.1')
      onTestFinished(() => {
        server.close()
        server.closeAllConnections()
      })
      return () => requestCount
    },
  }
}

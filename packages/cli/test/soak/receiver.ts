// A receiver that answers at once and notes what came, and when.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Handled } from '../support/handled.ts'

export type Received = Handled & { readonly atMs: number }

export async function startReceiver() {
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const body = await text(request).catch(() => null)
    if (body === null) return
    const { id, data } = JSON.parse(body)
    const { sequence, object } = JSON.parse(data)
    received.push({ id, objectId: object.id, sequence, atMs: performance.now() })
    response.end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    received,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

// A receiver that responds immediately and records the events with their arrival times.

import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { HandledEvent } from '../support/handled.ts'

export type Received = HandledEvent & { readonly atMs: number }

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

// The simulator, in a process of its own, and how long it took for each request: what is added to that is ours.
// Prints its addresses when it listens: that of the simulator, and one that tells the times of operations.

import { subscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startSimulator } from '../../packages/simulator/src/index.ts'

const begunMs = new WeakMap<IncomingMessage, number>()
let tookMs: Record<string, number> = {}

subscribe('http.server.request.start', (message) => {
  begunMs.set((message as { request: IncomingMessage }).request, performance.now())
})
subscribe('http.server.response.finish', (message) => {
  const { request } = message as { request: IncomingMessage }
  const [, reference] = /\/operations\/([^/?]+)$/.exec(request.url ?? '') ?? []
  const begun = begunMs.get(request)
  if (reference !== undefined && begun !== undefined) tookMs[reference] = performance.now() - begun
})

const { url } = await startSimulator()
/** What was asked for is forgotten. */
const times = createServer((_, response) => {
  response.end(JSON.stringify(tookMs))
  tookMs = {}
})
times.listen(0, '127.0.0.1', () => {
  const { port } = times.address() as AddressInfo
  console.log(JSON.stringify({ url, timesUrl: `http://127.0.0.1:${port}` }))
})

// Runs the simulator in a separate process and measures its time for each request, to separate it from that of the
// server. When it is listening, it prints two URLs: the simulator, and the recorded times of operations.

import { subscribe } from 'node:diagnostics_channel'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startSimulator } from '../../packages/simulator/src/index.ts'

const startedMs = new WeakMap<IncomingMessage, number>()
let durationsMs: Record<string, number> = {}

subscribe('http.server.request.start', (message) => {
  startedMs.set((message as { request: IncomingMessage }).request, performance.now())
})
subscribe('http.server.response.finish', (message) => {
  const { request } = message as { request: IncomingMessage }
  const [, reference] = /\/operations\/([^/?]+)$/.exec(request.url ?? '') ?? []
  const started = startedMs.get(request)
  if (reference !== undefined && started !== undefined) durationsMs[reference] = performance.now() - started
})

const { url } = await startSimulator()
/** Times are cleared after they are returned. */
const times = createServer((_, response) => {
  response.end(JSON.stringify(durationsMs))
  durationsMs = {}
})
times.listen(0, '127.0.0.1', () => {
  const { port } = times.address() as AddressInfo
  console.log(JSON.stringify({ url, timesUrl: `http://127.0.0.1:${port}` }))
})

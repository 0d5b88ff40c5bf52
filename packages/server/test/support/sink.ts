// A webhook receiver that runs in a separate process, verifies signatures with the SDK and counts requests.
// Every path is an endpoint. The arguments are its two ports; the second can be closed, so that connections
// are refused. Tests configure and query it under /control.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyWebhook } from '@switchyard/sdk'
import { newLedger } from './sink-ledger.ts'
import type { SinkBehavior, SinkControls } from './sink-process.ts'

const [port, secondPort] = process.argv.slice(2).map(Number)
const ledger = newLedger()
const secrets = new Map<string, readonly string[]>()
const behaviors = new Map<string, SinkBehavior>()
let verifyEvery = 1
let verified = 0
let rejectedCount = 0
let refusals: string[] = []
let requestCount = 0
const maxRefusals = 10

const server = createServer(handleRequest)
let second = createServer(handleRequest)
server.listen(port, '127.0.0.1')
second.listen(secondPort, '127.0.0.1', () => console.log('listening'))
process.once('SIGTERM', () => process.exit(0))

async function handleRequest(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const atMs = performance.timeOrigin + performance.now()
  const path = request.url ?? ''
  // Ignore a request that the sender aborted.
  const body = await readBody(request).catch(() => null)
  if (body === null) return
  if (path.startsWith('/control/')) return control(path, body, response)
  ledger.request(path)
  const { kind = 'ok', delayMs = 0 } = behaviors.get(path) ?? {}
  if (delayMs > 0) await sleep(delayMs)
  if (kind === 'hang') return
  if (kind === 'reset') return void request.socket.resetAndDestroy()
  if (kind === 'fail') return void response.writeHead(500).end()
  const eventId = await verifyEventId(path, request, body)
  if (eventId === null) return void response.writeHead(400).end()
  ledger.receipt(path, eventId, atMs)
  response.writeHead(200).end()
}

function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    request.on('error', reject)
  })
}

/** Returns the event id, or null if the signature is invalid. */
async function verifyEventId(path: string, request: IncomingMessage, body: Buffer): Promise<string | null> {
  requestCount += 1
  if (requestCount % verifyEvery !== 0) return request.headers['webhook-id'] as string
  try {
    const { id } = await verifyWebhook({ body, headers: request.headers, secret: secrets.get(path) })
    verified += 1
    return id
  } catch (error) {
    rejectedCount += 1
    if (refusals.length < maxRefusals) refusals.push(`${path}: ${(error as Error).message}`)
    return null
  }
}

const controls: { [Name in keyof SinkControls]: SinkControls[Name] } = {
  async secrets(byPath) {
    for (const [path, texts] of Object.entries(byPath)) secrets.set(path, texts)
  },
  async setBehaviors(byPath) {
    for (const [path, behavior] of Object.entries(byPath)) behaviors.set(path, behavior)
  },
  async verify({ every }) {
    verifyEvery = every
  },
  second: ({ open }) => (open ? openSecond() : closeSecond()),
  clear: async () => {
    ledger.clear()
    ;[verified, rejectedCount, refusals] = [0, 0, []]
  },
  summary: async () => ({ paths: ledger.tallies(), verified, refused: rejectedCount, refusals }),
  missing: async ({ paths, eventIds }) => ledger.missing(paths, eventIds),
  arrivals: async () => ledger.arrivals(),
}

async function control(path: string, body: Buffer, response: ServerResponse): Promise<void> {
  const name = path.slice('/control/'.length) as keyof SinkControls
  const input = body.length === 0 ? {} : JSON.parse(body.toString())
  const result = await (controls[name] as (input: unknown) => Promise<unknown>)(input)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(result ?? {}))
}

function closeSecond(): Promise<void> {
  return new Promise((resolve) => {
    second.close(() => resolve())
    second.closeAllConnections()
  })
}

async function openSecond(): Promise<void> {
  if (second.listening) return
  second = createServer(handleRequest)
  await new Promise<void>((resolve) => {
    second.listen(secondPort, '127.0.0.1', resolve)
  })
}

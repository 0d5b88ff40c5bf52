// A receiver of webhooks in a process of its own: it verifies what comes with the SDK, on the raw bytes, and
// keeps count. Every path is an endpoint. Its two ports stand in the arguments; the second can be closed, so
// that it refuses connections. Whoever started it asks and tells it things under /control.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { verifyWebhook } from '@switchyard/sdk'
import { newLedger } from './sink-ledger.ts'
import type { SinkControls, SinkManner } from './sink-process.ts'

const [port, secondPort] = process.argv.slice(2).map(Number)
const ledger = newLedger()
const secrets = new Map<string, readonly string[]>()
const manners = new Map<string, SinkManner>()
let verifyEvery = 1
let verified = 0
let refused = 0
let refusals: string[] = []
let turn = 0
const shownRefusals = 10

const server = createServer(take)
let second = createServer(take)
server.listen(port, '127.0.0.1')
second.listen(secondPort, '127.0.0.1', () => console.log('listening'))
process.once('SIGTERM', () => process.exit(0))

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const atMs = performance.timeOrigin + performance.now()
  const path = request.url ?? ''
  // A sender that gives up in the middle of its request has sent none.
  const body = await bytesOf(request).catch(() => null)
  if (body === null) return
  if (path.startsWith('/control/')) return control(path, body, response)
  ledger.request(path)
  const { is = 'ok', delayMs = 0 } = manners.get(path) ?? {}
  if (delayMs > 0) await sleep(delayMs)
  if (is === 'hang') return
  if (is === 'reset') return void request.socket.resetAndDestroy()
  if (is === 'fail') return void response.writeHead(500).end()
  const eventId = await eventIdOf(path, request, body)
  if (eventId === null) return void response.writeHead(400).end()
  ledger.receipt(path, eventId, atMs)
  response.writeHead(200).end()
}

function bytesOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)))
    request.on('error', reject)
  })
}

/** Null if the request is not what its sender claims. */
async function eventIdOf(path: string, request: IncomingMessage, body: Buffer): Promise<string | null> {
  turn += 1
  if (turn % verifyEvery !== 0) return request.headers['webhook-id'] as string
  try {
    const { id } = await verifyWebhook({ body, headers: request.headers, secret: secrets.get(path) })
    verified += 1
    return id
  } catch (error) {
    refused += 1
    if (refusals.length < shownRefusals) refusals.push(`${path}: ${(error as Error).message}`)
    return null
  }
}

const controls: { [Name in keyof SinkControls]: SinkControls[Name] } = {
  async secrets(given) {
    for (const [path, texts] of Object.entries(given)) secrets.set(path, texts)
  },
  async manners(given) {
    for (const [path, manner] of Object.entries(given)) manners.set(path, manner)
  },
  async verify({ every }) {
    verifyEvery = every
  },
  second: ({ open }) => (open ? openSecond() : closeSecond()),
  clear: async () => {
    ledger.clear()
    ;[verified, refused, refusals] = [0, 0, []]
  },
  summary: async () => ({ paths: ledger.tallies(), verified, refused, refusals }),
  missing: async ({ paths, eventIds }) => ledger.missing(paths, eventIds),
  arrivals: async () => ledger.arrivals(),
}

async function control(path: string, body: Buffer, response: ServerResponse): Promise<void> {
  const name = path.slice('/control/'.length) as keyof SinkControls
  const asked = body.length === 0 ? {} : JSON.parse(body.toString())
  const answer = await (controls[name] as (asked: unknown) => Promise<unknown>)(asked)
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? {}))
}

function closeSecond(): Promise<void> {
  return new Promise((resolve) => {
    second.close(() => resolve())
    second.closeAllConnections()
  })
}

async function openSecond(): Promise<void> {
  if (second.listening) return
  second = createServer(take)
  await new Promise<void>((resolve) => {
    second.listen(secondPort, '127.0.0.1', resolve)
  })
}

// A real HTTP server between the client and Switchyard that misbehaves on request, and notes what came in.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { errors } from '../../../server/src/kernel/errors.ts'

/** `lose`: it has its effect, and the connection breaks before the answer; `cut`: within it. `hang`: no answer ever. */
export type Behaviour = 'pass' | 'lose' | 'cut' | 'hang' | { status: number; headers?: object; body?: string }

export type Seen = { method: string; path: string; headers: IncomingMessage['headers']; body: string }

/** Does what the list says, one entry per request, and then lets everything pass. */
export async function standInFor(address: string, behaviours: readonly Behaviour[]) {
  const next = [...behaviours]
  const seen: Seen[] = []
  const server = createServer(async (request, response) => {
    const received = await read(request)
    seen.push(received)
    await behave(next.shift() ?? 'pass', { address, received, response })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen }
}

type Exchange = { address: string; received: Seen; response: ServerResponse }

async function behave(behaviour: Behaviour, { address, received, response }: Exchange): Promise<void> {
  if (behaviour === 'hang') return
  if (typeof behaviour === 'object') {
    response.writeHead(behaviour.status, { ...behaviour.headers }).end(behaviour.body ?? '')
    return
  }
  const { method, path, headers, body } = received
  const { host: _, connection: __, 'content-length': ___, ...passed } = headers
  const answer = await fetch(address + path, {
    method,
    headers: passed as Record<string, string>,
    ...(body === '' ? {} : { body }),
  })
  const text = await answer.text()
  if (behaviour === 'lose') response.destroy()
  else if (behaviour === 'cut') {
    response.writeHead(answer.status, { 'content-length': text.length })
    response.write(text.slice(0, 10), () => response.destroy())
  } else response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text)
}

async function read(request: IncomingMessage): Promise<Seen> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = '', url: path = '', headers } = request
  return { method, path, headers, body: Buffer.concat(chunks).toString() }
}

/** A refusal as the server words it, from its own catalogue. */
export function refusal(code: keyof typeof errors, headers: object = {}): Behaviour {
  const { status, title, detail, retryable } = errors[code]
  const request_id = 'request_test_01M7CYVT8DEAKR7XXXYMVW8SS4'
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, code, retryable, request_id })
  return { status, headers: { 'content-type': 'application/problem+json', ...headers }, body }
}

/** An address where nothing listens any more. */
export async function deadAddress(): Promise<string> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return `http://127.0.0.1:${port}`
}

// A real HTTP server between the client and Switchyard with scripted faults, which records the requests.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { errors } from '../../../server/src/kernel/errors.ts'

/**
 * `lose`: the request takes effect, and the connection is closed before the response. `cut`: the connection is closed
 * during the response. `hang`: no response.
 */
export type Behaviour = 'pass' | 'lose' | 'cut' | 'hang' | { status: number; headers?: object; body?: string }

export type RecordedRequest = {
  method: string
  path: string
  headers: IncomingMessage['headers']
  body: string
}

/** Applies one behaviour per request, in order, and then forwards all requests. */
export async function startFaultyServer(upstreamUrl: string, behaviours: readonly Behaviour[]) {
  const next = [...behaviours]
  const requests: RecordedRequest[] = []
  const server = createServer(async (request, response) => {
    const recorded = await readRequest(request)
    requests.push(recorded)
    await applyBehaviour(next.shift() ?? 'pass', { upstreamUrl, recorded, response })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

type Exchange = { upstreamUrl: string; recorded: RecordedRequest; response: ServerResponse }

async function applyBehaviour(
  behaviour: Behaviour,
  { upstreamUrl, recorded, response }: Exchange,
): Promise<void> {
  if (behaviour === 'hang') return
  if (typeof behaviour === 'object') {
    response.writeHead(behaviour.status, { ...behaviour.headers }).end(behaviour.body ?? '')
    return
  }
  const { method, path, headers, body } = recorded
  const { host: _, connection: __, 'content-length': ___, ...forwardedHeaders } = headers
  const upstream = await fetch(upstreamUrl + path, {
    method,
    headers: forwardedHeaders as Record<string, string>,
    ...(body === '' ? {} : { body }),
  })
  const text = await upstream.text()
  if (behaviour === 'lose') response.destroy()
  else if (behaviour === 'cut') {
    response.writeHead(upstream.status, { 'content-length': text.length })
    response.write(text.slice(0, 10), () => response.destroy())
  } else response.writeHead(upstream.status, Object.fromEntries(upstream.headers)).end(text)
}

async function readRequest(request: IncomingMessage): Promise<RecordedRequest> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  const { method = '', url: path = '', headers } = request
  return { method, path, headers, body: Buffer.concat(chunks).toString() }
}

/** An error response as the server formats it, from its own catalogue. */
export function errorResponse(code: keyof typeof errors, headers: object = {}): Behaviour {
  const { status, title, detail, retryable } = errors[code]
  const request_id = 'request_test_01M7CYVT8DEAKR7XXXYMVW8SS4'
  const body = JSON.stringify({ type: 'about:blank', title, status, detail, code, retryable, request_id })
  return { status, headers: { 'content-type': 'application/problem+json', ...headers }, body }
}

/** A URL with an unused port. */
export async function unusedUrl(): Promise<string> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return `http://127.0.0.1:${port}`
}

// Sends requests that `fetch` would correct: with raw bytes, invalid headers or chunked bodies.

import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

export type RawRequest = {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
}

export type RawResponse = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: each test knows the type of the body.
  readonly body: any
}

const agent = new Agent({ keepAlive: true })

/** Sends one request. Returns the response even if it arrives before the request is fully sent. */
export function sendRawRequest(address: string, rawRequest: RawRequest): Promise<RawResponse> {
  const { method, path, token, headers, body } = rawRequest
  return new Promise((resolve, reject) => {
    const outgoing = request(address, {
      method,
      path,
      agent,
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(isChunked(headers) ? {} : { 'content-length': Buffer.byteLength(body ?? '') }),
        ...headers,
      },
    })
    // The server may close the connection after it rejects a body. After a response, `reject` has no effect.
    outgoing.on('error', reject)
    outgoing.on('response', (incoming) => {
      const parts: Buffer[] = []
      const finish = () =>
        resolve(parseResponse(incoming.statusCode ?? 0, incoming.headers, Buffer.concat(parts).toString()))
      incoming.on('data', (part) => {
        parts.push(part)
        // Do not wait for the end of an event stream, which stays open for an hour.
        if (incoming.headers['content-type'] !== 'text/event-stream') return
        finish()
        outgoing.destroy()
      })
      incoming.on('error', reject)
      incoming.on('end', () => {
        if (!outgoing.writableFinished) outgoing.destroy()
        finish()
      })
    })
    if (isChunked(headers)) outgoing.write(body ?? '')
    outgoing.end(isChunked(headers) ? undefined : body)
  })
}

function isChunked(headers: OutgoingHttpHeaders | undefined): boolean {
  return headers?.['transfer-encoding'] === 'chunked'
}

function parseResponse(status: number, headers: IncomingHttpHeaders, text: string): RawResponse {
  const isJson = headers['content-type']?.includes('json') === true
  return { status, headers, text, body: isJson ? JSON.parse(text) : null }
}

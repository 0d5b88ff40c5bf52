// Requests as a stranger may send them: bytes, wrong headers, pieces. `fetch` would correct too much.

import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

export type Question = {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: string | Buffer
}

export type Reply = {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: a body is what the test says it is.
  readonly body: any
}

const agent = new Agent({ keepAlive: true })

/** One request. The answer counts, also if it came before all was sent. */
export function ask(address: string, question: Question): Promise<Reply> {
  const { method, path, token, headers, body } = question
  return new Promise((resolve, reject) => {
    const sent = request(address, {
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
    // After an answer this settles nothing: the server may hang up on a body that it does not want.
    sent.on('error', reject)
    sent.on('response', (answer) => {
      const parts: Buffer[] = []
      const settle = () =>
        resolve(replyOf(answer.statusCode ?? 0, answer.headers, Buffer.concat(parts).toString()))
      answer.on('data', (part) => {
        parts.push(part)
        // It would go on for an hour.
        if (answer.headers['content-type'] !== 'text/event-stream') return
        settle()
        sent.destroy()
      })
      answer.on('error', reject)
      answer.on('end', () => {
        if (!sent.writableFinished) sent.destroy()
        settle()
      })
    })
    if (isChunked(headers)) sent.write(body ?? '')
    sent.end(isChunked(headers) ? undefined : body)
  })
}

function isChunked(headers: OutgoingHttpHeaders | undefined): boolean {
  return headers?.['transfer-encoding'] === 'chunked'
}

function replyOf(status: number, headers: IncomingHttpHeaders, text: string): Reply {
  const isJson = headers['content-type']?.includes('json') === true
  return { status, headers, text, body: isJson ? JSON.parse(text) : null }
}

/**
 * Hands requests of `node:http`, Express and Fastify to a function from `Request` to `Response`, such as
 * `webhookHandler`. An entry of its own (`@switchyard/sdk/node`): whoever has `Request` needs none of it.
 */

type Bytes = Uint8Array<ArrayBuffer>

/** What is needed of `IncomingMessage`, and of what a framework makes of it. */
type Incoming = {
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  /** What the framework has read already. */
  readonly body?: unknown
}
type NodeRequest = Incoming & { [Symbol.asyncIterator](): AsyncIterator<unknown> }
type NodeResponse = {
  writeHead(status: number, headers: Record<string, string>): unknown
  end(text: string): unknown
}
type FastifyReply = {
  code(status: number): unknown
  headers(headers: Record<string, string>): unknown
  send(text: string): unknown
}

type Handler = (request: Request) => Promise<Response>
type Answer = { readonly status: number; readonly headers: Record<string, string>; readonly text: string }

/** No event is as long, and who sends it is not proved before it is read. */
const maxBytes = 1_048_576

/** For `createServer` and for Express, where it belongs before whatever parses bodies. It never rejects. */
export function toNodeListener(handler: Handler) {
  return async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const { status, headers, text } = await answerTo(request, request.body ?? (await read(request)), handler)
    response.writeHead(status, headers)
    response.end(text)
  }
}

/** For a route of Fastify. Its body may be parsed; `signature-digest` is enough then. */
export function toFastifyHandler(handler: Handler) {
  return async (request: Incoming, reply: FastifyReply): Promise<void> => {
    const { status, headers, text } = await answerTo(request, request.body, handler)
    reply.code(status)
    reply.headers(headers)
    reply.send(text)
  }
}

/** Null if it is too long, or its sender went away in the middle. */
async function read(request: NodeRequest): Promise<Blob | null> {
  const chunks: Bytes[] = []
  let length = 0
  try {
    for await (const chunk of request) {
      chunks.push(chunk as Bytes)
      length += (chunk as Bytes).length
      if (length > maxBytes) return null
    }
  } catch {
    return null
  }
  return new Blob(chunks)
}

async function answerTo({ headers }: Incoming, body: unknown, handler: Handler): Promise<Answer> {
  if (body === null || body === undefined) return plain(400, 'bad_body')
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob
  const entries = Object.entries(headers).flatMap(([name, value = []]) =>
    // What was parsed cannot be written again as it was, and only `signature-digest` does not mind. Names
    // with a colon are HTTP/2's own.
    name.startsWith(':') || (name === 'webhook-signature' && !isRaw)
      ? []
      : [[name, [value].flat().join(', ')]],
  )
  try {
    const request = new Request('http://localhost/', {
      method: 'POST',
      headers: entries as [string, string][],
      body: isRaw ? (body as Blob) : JSON.stringify(body),
    })
    const answer = await handler(request)
    return { status: answer.status, headers: Object.fromEntries(answer.headers), text: await answer.text() }
  } catch {
    return plain(500, 'handler_failed')
  }
}

function plain(status: number, reason: string): Answer {
  return { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify({ reason }) }
}

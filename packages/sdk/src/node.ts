/**
 * Adapts a function from `Request` to `Response`, such as `webhookHandler`, to `node:http`, Express and Fastify. It is
 * a separate entry point (`@switchyard/sdk/node`), because frameworks with `Request` do not need it.
 */

type Bytes = Uint8Array<ArrayBuffer>

/** The parts of `IncomingMessage` and of framework requests that are used. */
type RequestParts = {
  readonly headers: { readonly [name: string]: string | readonly string[] | undefined }
  /** Set if the framework has already read the body. */
  readonly body?: unknown
}
type NodeRequest = RequestParts & { [Symbol.asyncIterator](): AsyncIterator<unknown> }
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
type PlainResponse = {
  readonly status: number
  readonly headers: Record<string, string>
  readonly text: string
}

/** Larger than any event. The sender is verified only after the body has been read, so its size must be limited. */
const maxBytes = 1_048_576

/** For `createServer` and Express. In Express, register it before any body parser. It never rejects. */
export function toNodeListener(handler: Handler) {
  return async (request: NodeRequest, response: NodeResponse): Promise<void> => {
    const { status, headers, text } = await handleRequest(
      request,
      request.body ?? (await readBody(request)),
      handler,
    )
    response.writeHead(status, headers)
    response.end(text)
  }
}

/** For a Fastify route with a parser that keeps the raw body. A parsed body needs `signatureDigestOnly`. */
export function toFastifyHandler(handler: Handler) {
  return async (request: RequestParts, reply: FastifyReply): Promise<void> => {
    const { status, headers, text } = await handleRequest(request, request.body, handler)
    reply.code(status)
    reply.headers(headers)
    reply.send(text)
  }
}

/** Null if the body is too large or the connection was lost. */
async function readBody(request: NodeRequest): Promise<Blob | null> {
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

async function handleRequest(
  { headers }: RequestParts,
  body: unknown,
  handler: Handler,
): Promise<PlainResponse> {
  if (body === null || body === undefined) return errorResponse(400, 'bad_body')
  const isRaw = typeof body === 'string' || body instanceof Uint8Array || body instanceof Blob
  const entries = Object.entries(headers).flatMap(([name, value = []]) =>
    // A parsed body cannot be restored byte for byte, so `webhook-signature` would not match it. Without that header
    // only a handler with `signatureDigestOnly` accepts the request. Names with a colon are pseudo-headers of HTTP/2.
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
    const response = await handler(request)
    return {
      status: response.status,
      headers: Object.fromEntries(response.headers),
      text: await response.text(),
    }
  } catch {
    return errorResponse(500, 'handler_failed')
  }
}

function errorResponse(status: number, reason: string): PlainResponse {
  return { status, headers: { 'content-type': 'application/json' }, text: JSON.stringify({ reason }) }
}

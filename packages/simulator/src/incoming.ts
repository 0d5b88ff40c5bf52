/** Reads a request once, so that the verified bytes are the ones that are parsed. */
import type { IncomingMessage } from 'node:http'

export type IncomingCall = {
  readonly method: string
  /** Path and query, exactly as sent. */
  readonly path: string
  readonly segments: readonly string[]
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly bytes: Buffer
  /** The parsed body; null if it is not JSON. */
  readonly body: unknown
  /** Whether it was sent from this machine. */
  readonly isLocal: boolean
}

/** Enough for a file of 5 MB that is sent as base64. */
const maxBodyBytes = 8 * 1024 * 1024

/** Null if the request is incomplete, too large, or has an invalid path. */
export async function readIncomingCall(request: IncomingMessage): Promise<IncomingCall | null> {
  const bytes = await readBody(request)
  const path = request.url ?? '/'
  const [pathname = '', search = ''] = path.split('?', 2)
  const segments = readSegments(pathname)
  if (bytes === null || segments === null) return null
  return {
    method: request.method ?? 'GET',
    path,
    segments,
    query: new URLSearchParams(search),
    headers: request.headers,
    bytes,
    body: readJson(bytes),
    isLocal: /^(::ffff:)?127\.|^::1$/.test(request.socket.remoteAddress ?? ''),
  }
}

function readBody(request: IncomingMessage): Promise<Buffer | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > maxBodyBytes) resolve(null)
      else chunks.push(chunk)
    })
    request.on('end', () => resolve(Buffer.concat(chunks)))
    request.on('error', () => resolve(null))
  })
}

function readSegments(pathname: string): string[] | null {
  try {
    return pathname.split('/').slice(1).map(decodeURIComponent)
  } catch {
    return null
  }
}

function readJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString())
  } catch {
    return null
  }
}

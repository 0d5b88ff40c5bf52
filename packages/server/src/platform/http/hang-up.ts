/** The end of a connection that cannot be understood. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What is being answered on a connection; Node keeps it there. */
type Answering = ServerResponse | null | undefined

const words: Record<string, string> = {
  HPE_HEADER_OVERFLOW: '431 Request Header Fields Too Large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: '413 Content Too Large',
  ERR_HTTP_REQUEST_TIMEOUT: '408 Request Timeout',
}

/** Bytes that are not HTTP, or too slow: said briefly, then closed. There is no request to answer. */
export function hangUp(
  error: Error & { code?: string },
  socket: Socket & { _httpMessage?: Answering },
): void {
  const { _httpMessage: answering } = socket
  if (!socket.writable) {
    socket.destroy()
  } else if (answering && (answering.headersSent || answering.req.complete)) {
    // It follows a request that is whole: words of ours would be taken for the answer to that one.
    answering.once('close', () => socket.destroySoon())
  } else {
    const status = words[error.code ?? ''] ?? '400 Bad Request'
    socket.end(`HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
  }
}

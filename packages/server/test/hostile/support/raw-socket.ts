// A raw connection: sends bytes that no HTTP client would send, and reports when the server closes it.

import { connect, type Socket } from 'node:net'
import { StringDecoder } from 'node:string_decoder'
import { monotonicMs } from '../../../src/kernel/clock.ts'

export type SocketResult = {
  readonly text: string
  /** The status codes of the responses, in the order in which they arrived. */
  readonly statuses: readonly number[]
  readonly closed: boolean
  readonly durationMs: number
}

export function openSocket(
  address: string,
  options: { readonly allowHalfOpen?: boolean } = {},
): Promise<Socket> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, ...options }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/**
 * Sends bytes and reads until this number of responses has arrived, the server closes the connection, or the
 * timeout is reached.
 */
export async function sendBytes(
  address: string,
  bytes: string | Buffer,
  { responses = Number.POSITIVE_INFINITY, timeoutMs = 5_000 } = {},
): Promise<SocketResult> {
  const socket = await openSocket(address)
  const startedMs = monotonicMs()
  const decoder = new StringDecoder('utf8')
  const parts: string[] = []
  const statuses: number[] = []
  /** The text since the last status line. Only this is searched, because the server shares the event loop. */
  let unparsed = ''
  const closed = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), timeoutMs)
    const finish = (value: boolean) => {
      clearTimeout(timer)
      resolve(value)
    }
    socket.on('data', (part) => {
      const text = decoder.write(part)
      parts.push(text)
      unparsed += text
      for (let line = statusLine.exec(unparsed); line !== null; line = statusLine.exec(unparsed)) {
        statuses.push(Number(line[1]))
        unparsed = unparsed.slice(line.index + line[0].length)
      }
      if (statuses.length >= responses) finish(false)
    })
    socket.on('end', () => finish(true))
    socket.on('close', () => finish(true))
    // A reset also closes the connection.
    socket.on('error', () => finish(true))
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  })
  socket.destroy()
  return { text: parts.join(''), statuses, closed, durationMs: monotonicMs() - startedMs }
}

const statusLine = /HTTP\/1\.1 (\d{3}) /

/** The head of a request with these headers. */
export function requestHead(line: string, headers: readonly string[] = []): string {
  return [line, 'Host: localhost', ...headers, '', ''].join('\r\n')
}

// A raw connection: sends bytes that no HTTP client would send, and reports when the server closes it.

import { connect, type Socket } from 'node:net'
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
  const parts: Buffer[] = []
  const closed = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), timeoutMs)
    const finish = (value: boolean) => {
      clearTimeout(timer)
      resolve(value)
    }
    socket.on('data', (part) => {
      parts.push(part)
      if (parseStatuses(Buffer.concat(parts).toString()).length >= responses) finish(false)
    })
    socket.on('end', () => finish(true))
    socket.on('close', () => finish(true))
    // A reset also closes the connection.
    socket.on('error', () => finish(true))
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  })
  socket.destroy()
  const text = Buffer.concat(parts).toString()
  return { text, statuses: parseStatuses(text), closed, durationMs: monotonicMs() - startedMs }
}

function parseStatuses(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

/** The head of a request with these headers. */
export function requestHead(line: string, headers: readonly string[] = []): string {
  return [line, 'Host: localhost', ...headers, '', ''].join('\r\n')
}

// A connection as bytes: what no HTTP client would send, and when the other side closes.

import { connect, type Socket } from 'node:net'
import { monotonicMs } from '../../../src/kernel/clock.ts'

export type Heard = {
  readonly text: string
  /** Status lines in the order of their coming. */
  readonly statuses: readonly number[]
  readonly closed: boolean
  readonly tookMs: number
}

export function dial(address: string, options: { readonly allowHalfOpen?: boolean } = {}): Promise<Socket> {
  const { hostname, port } = new URL(address)
  return new Promise((resolve, reject) => {
    const socket = connect({ port: Number(port), host: hostname, ...options }, () => resolve(socket))
    socket.once('error', reject)
  })
}

/** Says something and listens until `answers` have come, the other side closes, or patience is over. */
export async function say(
  address: string,
  bytes: string | Buffer,
  { answers = Number.POSITIVE_INFINITY, patienceMs = 5_000 } = {},
): Promise<Heard> {
  const socket = await dial(address)
  const startedMs = monotonicMs()
  const parts: Buffer[] = []
  const closed = await new Promise<boolean>((resolve) => {
    const timer = setTimeout(() => resolve(false), patienceMs)
    const done = (value: boolean) => {
      clearTimeout(timer)
      resolve(value)
    }
    socket.on('data', (part) => {
      parts.push(part)
      if (statusesIn(Buffer.concat(parts).toString()).length >= answers) done(false)
    })
    socket.on('end', () => done(true))
    socket.on('close', () => done(true))
    // A reset is a way to close.
    socket.on('error', () => done(true))
    socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes)
  })
  socket.destroy()
  const text = Buffer.concat(parts).toString()
  return { text, statuses: statusesIn(text), closed, tookMs: monotonicMs() - startedMs }
}

function statusesIn(text: string): number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status))
}

/** A request with these lines between the request line and the end of the head. */
export function head(line: string, fields: readonly string[] = []): string {
  return [line, 'Host: localhost', ...fields, '', ''].join('\r\n')
}

/**
 * Opens a tunnel through a forward proxy with CONNECT. No byte of the request is sent before the proxy has
 * opened the tunnel, so a refusal by the proxy proves that the request was not sent.
 */
import type { Socket } from 'node:net'
import { CallFault } from './faults.ts'
import type { OutboundProxy } from './outbound.ts'

const maxHeadBytes = 8 * 1024

export type Tunnel = {
  /** Host and port of the receiver. */
  readonly authority: string
  readonly proxy: Pick<OutboundProxy, 'authorization'>
  readonly limitMs: number
}

/** Rejects with a `CallFault`. */
export function openTunnel(socket: Socket, { authority, proxy, limitMs }: Tunnel): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = ''
    const end = (fault: CallFault | null): void => {
      clearTimeout(timer)
      // Bytes that arrive before the next reader is attached must not be lost.
      socket.off('data', onData).off('error', onFailure).off('close', onFailure).pause()
      if (fault === null) return void resolve()
      socket.on('error', () => {})
      socket.destroy()
      reject(fault)
    }
    const onData = (bytes: Buffer): void => {
      head += bytes.toString('latin1')
      const isComplete = head.includes('\r\n\r\n')
      if (isComplete || head.length > maxHeadBytes) end(faultOfHead(head))
    }
    const onFailure = (error?: unknown): void =>
      end(
        error instanceof CallFault
          ? error
          : new CallFault('connect_failed', 'The proxy closed the connection.'),
      )
    const timer = setTimeout(
      () => end(new CallFault('connect_failed', 'Timeout: the proxy did not open a connection.')),
      limitMs,
    )
    socket.on('data', onData).on('error', onFailure).on('close', onFailure)
    socket.write(
      `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\nProxy-Authorization: ${proxy.authorization}\r\n\r\n`,
    )
  })
}

/**
 * Null if the proxy has opened the tunnel. Bytes after the response head are invalid, because the receiver
 * must not send data first.
 */
function faultOfHead(head: string): CallFault | null {
  const [, status] = /^HTTP\/1\.[01] ([0-9]{3})[^\r\n]*\r\n/.exec(head) ?? []
  if (status === undefined || !head.endsWith('\r\n\r\n'))
    return new CallFault('connect_failed', 'The proxy returned an invalid response.')
  return /^2/.test(status)
    ? null
    : new CallFault('connect_failed', `The proxy refused the connection with status ${status}.`)
}

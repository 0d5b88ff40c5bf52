/**
 * Closed-loop load over plain sockets: each connection sends its next request after the response to the last one. It does
 * as little as possible, because it shares the CPU with what it measures.
 */
import { connect, type Socket } from 'node:net'

export type HttpLoad = {
  readonly port: number
  readonly connections: number
  readonly forMs: number
  /** The bytes of the next request. */
  readonly request: (nth: number) => string
}

export type LoadResult = {
  readonly operations: number
  readonly ms: number
  readonly latenciesMs: readonly number[]
}

export async function loadHttp({ port, connections, forMs, request }: HttpLoad): Promise<LoadResult> {
  const latenciesMs: number[] = []
  let nth = 0
  const startedMs = performance.now()
  const untilMs = startedMs + forMs
  const next = () => (performance.now() < untilMs ? request(nth++) : null)
  await Promise.all(Array.from({ length: connections }, () => runConnection(port, next, latenciesMs)))
  return { operations: latenciesMs.length, ms: performance.now() - startedMs, latenciesMs }
}

/** Sends requests on one connection until none are left. */
function runConnection(port: number, next: () => string | null, latenciesMs: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true })
    let received = ''
    let sentMs = 0
    const sendNext = () => {
      const request = next()
      if (request === null) return void socket.end()
      sentMs = performance.now()
      socket.write(request, 'latin1')
    }
    socket.setEncoding('latin1')
    socket.on('connect', sendNext)
    socket.on('data', (chunk: string) => {
      received += chunk
      if (!isComplete(received)) return
      if (!isSuccess(received)) return fail(socket, received, reject)
      received = ''
      latenciesMs.push(performance.now() - sentMs)
      sendNext()
    })
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })
}

export function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end < 0) return false
  const [, length = '0'] = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end + 2)) ?? []
  return text.length >= end + 4 + Number(length)
}

export function isSuccess(text: string): boolean {
  return text.startsWith('HTTP/1.1 2')
}

function fail(socket: Socket, response: string, reject: (error: Error) => void): void {
  socket.destroy()
  reject(new Error(`The server responded:\n${response}`))
}

export type HttpRequest = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** The text of an HTTP request. */
export function requestText({ method, path, headers = {}, body = '' }: HttpRequest): string {
  const all = {
    host: '127.0.0.1',
    ...headers,
    ...(body === '' ? {} : { 'content-type': 'application/json', 'content-length': String(body.length) }),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`
}

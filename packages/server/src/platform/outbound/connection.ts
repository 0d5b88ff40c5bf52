/**
 * A slot for one connection, which carries one request at a time. undici opens the connection when there is a
 * request, closes it after an idle timeout, and opens another when needed.
 */
import { Client } from 'undici'
import type { Mode } from '../../kernel/id.ts'
import {
  type ConnectContext,
  ConnectionAttempt,
  type Destination,
  type Endpoint,
  outboundSecureContext,
} from './connect.ts'
import { Exchange, type ExchangeConnection } from './exchange.ts'
import { CallFault } from './faults.ts'
import type { OutboundProxy } from './outbound.ts'

const idleMs = 10_000

export type OutgoingRequest = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array | null
  readonly maxResponseBytes: number
}

export type ConnectionTarget = {
  readonly origin: string
  readonly mode: Mode
  readonly connectMs?: number | undefined
  readonly proxy?: OutboundProxy | undefined
}

export class OutboundConnection implements ExchangeConnection {
  /** How the current connection was opened; null before the first. */
  attempt: ConnectionAttempt | null = null
  ended = false
  readonly #client: Client
  readonly #context: ConnectContext
  readonly #destination: Destination
  #exchange: Exchange | null = null
  /** The number of requests sent over the current connection. */
  #requestCount = 0

  constructor(context: ConnectContext, { origin, mode, connectMs = 5_000, proxy }: ConnectionTarget) {
    this.#context = context
    this.#destination = {
      ...endpointOf(new URL(origin)),
      mode,
      connectMs,
      proxy: proxy === undefined ? null : proxyOf(proxy),
    }
    this.#client = new Client(origin, {
      connect: (_, callback) => {
        this.#connect().then(
          (socket) => callback(null, socket),
          (error: CallFault) => callback(error, null),
        )
      },
      allowH2: false,
      pipelining: 1,
      keepAliveTimeout: idleMs,
      // An upper limit, even if the receiver offers more.
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: 16 * 1024,
      // One timeout covers the whole call, and the caller enforces it.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  send({ method, path, headers, body, maxResponseBytes }: OutgoingRequest): Exchange {
    const exchange = new Exchange(this, { isReused: this.#requestCount > 0, maxResponseBytes })
    this.#exchange = exchange
    this.#client.dispatch({ method, path, headers, body }, exchange)
    return exchange
  }

  onRequestStarted(): boolean {
    this.#requestCount += 1
    return this.#requestCount > 1
  }

  onExchangeEnded(): void {
    this.#exchange = null
  }

  close(): void {
    void this.end(new CallFault('ours', 'The connection was closed by this side.'))
  }

  /** Ends the exchange and the connection in progress with the given fault. Irreversible. */
  async end(fault: CallFault): Promise<void> {
    this.ended = true
    this.#exchange?.fail(fault)
    this.attempt?.cancel(fault)
    await this.#client.destroy()
  }

  #connect() {
    this.#requestCount = 0
    if (this.#exchange !== null) this.#exchange.reused = false
    this.attempt = new ConnectionAttempt(this.#context, this.#destination)
    return this.attempt.open()
  }
}

function endpointOf(url: URL): Endpoint {
  const isSecure = url.protocol === 'https:'
  return {
    origin: url.origin,
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    isSecure,
  }
}

function proxyOf({ url, authorization, ca }: OutboundProxy): NonNullable<Destination['proxy']> {
  return { ...endpointOf(new URL(url)), authorization, secureContext: outboundSecureContext(ca ?? undefined) }
}

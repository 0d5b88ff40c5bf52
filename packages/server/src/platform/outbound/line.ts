/**
 * A place for one connection, which carries one request at a time. undici opens the connection when there is
 * something to send, closes it when it was idle for long, and opens another when it is needed again.
 */
import { Client } from 'undici'
import type { Mode } from '../../kernel/id.ts'
import { type Destination, Dial, type Roads } from './connect.ts'
import { Exchange, type Wire } from './exchange.ts'
import { CallFault } from './faults.ts'

const idleMs = 10_000

export type Message = {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  readonly maxAnswerBytes: number
}

export class Line implements Wire {
  /** How the present connection came to be; null before the first. */
  dial: Dial | null = null
  ended = false
  readonly #client: Client
  readonly #roads: Roads
  readonly #to: Destination
  #exchange: Exchange | null = null
  /** Requests that the present connection has carried. */
  #carried = 0

  constructor(roads: Roads, origin: string, mode: Mode, connectMs = 5_000) {
    this.#roads = roads
    this.#to = { ...destinationOf(new URL(origin)), mode, connectMs }
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
      // Whatever the receiver offers.
      keepAliveMaxTimeout: idleMs,
      maxHeaderSize: 16 * 1024,
      // One limit holds for the whole call. It is kept by whoever makes it.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  send({ method, path, headers, body, maxAnswerBytes }: Message): Exchange {
    const exchange = new Exchange(this, { onUsed: this.#carried > 0, maxAnswerBytes })
    this.#exchange = exchange
    this.#client.dispatch({ method, path, headers, body }, exchange)
    return exchange
  }

  beginsToCarry(): boolean {
    this.#carried += 1
    return this.#carried > 1
  }

  hasCarried(): void {
    this.#exchange = null
  }

  hangUp(): void {
    void this.end(new CallFault('ours', 'The connection was closed by this side.'))
  }

  /** Ends what it is doing, for the reason given. There is no way back. */
  async end(fault: CallFault): Promise<void> {
    this.ended = true
    this.#exchange?.fail(fault)
    this.dial?.cancel(fault)
    await this.#client.destroy()
  }

  #connect() {
    this.#carried = 0
    if (this.#exchange !== null) this.#exchange.reused = false
    this.dial = new Dial(this.#roads, this.#to)
    return this.dial.open()
  }
}

function destinationOf(url: URL): Omit<Destination, 'mode' | 'connectMs'> {
  const isSecure = url.protocol === 'https:'
  return {
    hostname: url.hostname.replace(/^\[(.*)\]$/, '$1'),
    port: url.port === '' ? (isSecure ? 443 : 80) : Number(url.port),
    isSecure,
  }
}

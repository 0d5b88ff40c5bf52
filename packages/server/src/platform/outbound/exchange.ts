/**
 * One request and its response on one connection, as reported by undici. It ends once, with the first event
 * that ends it; later events are ignored.
 */
import type { Dispatcher } from 'undici'
import { monotonicMs } from '../../kernel/clock.ts'
import { type CallFault, exchangeFault } from './faults.ts'

export type ReceivedResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly truncated: boolean
}

export type ExchangeOutcome =
  | { readonly kind: 'answered'; readonly response: ReceivedResponse }
  | { readonly kind: 'failed'; readonly fault: CallFault }

/** The part of the connection that an exchange needs. */
export type ExchangeConnection = {
  /**
   * Called before the request is written. Returns whether the connection was used for another request before.
   */
  onRequestStarted(): boolean
  /** Called when the exchange is over. */
  onExchangeEnded(): void
  close(): void
}

type Handler = Required<
  Pick<
    Dispatcher.DispatchHandler,
    | 'onRequestStart'
    | 'onResponseStarted'
    | 'onResponseStart'
    | 'onResponseData'
    | 'onResponseEnd'
    | 'onResponseError'
  >
>
type Headers = Parameters<Handler['onResponseStart']>[2]

export class Exchange implements Handler {
  /** Never rejects. */
  readonly outcome: Promise<ExchangeOutcome>
  /** Whether a byte of the request may have been sent. */
  sent = false
  /** Whether the connection was used for another request before. */
  reused: boolean
  readonly startedAtMs = monotonicMs()
  /** From writing the request to the first byte of the response. */
  firstByteMs: number | null = null
  readonly #resolve: (outcome: ExchangeOutcome) => void
  readonly #connection: ExchangeConnection
  readonly #maxBytes: number
  #hasEnded = false
  #writtenAtMs = 0
  #status = 0
  #headers: Headers = {}
  #chunks: Buffer[] = []
  #remainingBytes: number

  constructor(connection: ExchangeConnection, options: { isReused: boolean; maxResponseBytes: number }) {
    const { promise, resolve } = Promise.withResolvers<ExchangeOutcome>()
    this.outcome = promise
    this.#resolve = resolve
    this.#connection = connection
    this.#maxBytes = options.maxResponseBytes
    this.#remainingBytes = options.maxResponseBytes
    this.reused = options.isReused
  }

  fail(fault: CallFault): void {
    this.#end({ kind: 'failed', fault })
  }

  onRequestStart(): void {
    this.sent = true
    this.reused = this.#connection.onRequestStarted()
    this.#writtenAtMs = monotonicMs()
  }

  onResponseStarted(): void {
    this.firstByteMs ??= monotonicMs() - this.#writtenAtMs
  }

  onResponseStart(_: unknown, status: number, headers: Headers): void {
    // Called several times if there are informational responses such as early hints. The last is the final
    // response.
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk.length > this.#remainingBytes ? chunk.subarray(0, this.#remainingBytes) : chunk)
    this.#remainingBytes -= chunk.length
    if (this.#remainingBytes >= 0) return
    // The rest could be endless, and the connection cannot be reused until all of it has been read.
    this.#finish(true)
    this.#connection.close()
  }

  onResponseEnd(): void {
    this.#finish(false)
  }

  onResponseError(_: unknown, error: unknown): void {
    this.fail(exchangeFault(error))
  }

  #finish(truncated: boolean): void {
    const response = {
      status: this.#status,
      headers: joinHeaders(this.#headers),
      body: this.#text(),
      truncated,
    }
    this.#end({ kind: 'answered', response })
  }

  #end(outcome: ExchangeOutcome): void {
    if (this.#hasEnded) return
    this.#hasEnded = true
    this.#resolve(outcome)
    this.#connection.onExchangeEnded()
  }

  /** The body as text that Postgres can store: it cannot store NUL. */
  #text(): string {
    if (this.#remainingBytes === this.#maxBytes) return ''
    const [only, ...more] = this.#chunks
    const bytes = only !== undefined && more.length === 0 ? only : Buffer.concat(this.#chunks)
    return bytes.toString('utf8').replaceAll('\0', '\uFFFD')
  }
}

function joinHeaders(headers: Headers): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) joined[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return joined
}

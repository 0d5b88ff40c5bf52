/**
 * One request and its answer on one connection, as undici tells it. It ends once, with the first thing that
 * ends it; what comes later is not heard.
 */
import type { Dispatcher } from 'undici'
import { monotonicMs } from '../../kernel/clock.ts'
import { type CallFault, exchangeFault } from './faults.ts'

export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly cut: boolean
}

export type Outcome =
  | { readonly is: 'answered'; readonly answer: Answer }
  | { readonly is: 'failed'; readonly fault: CallFault }

/** The connection, as far as an exchange needs it. */
export type Wire = {
  /** The request is about to be written. Tells whether the connection has carried another one before. */
  beginsToCarry(): boolean
  /** The exchange is over, and need not be remembered. */
  hasCarried(): void
  hangUp(): void
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
  readonly outcome: Promise<Outcome>
  /** Whether a byte of the request may have left. */
  sent = false
  /** Whether the connection has carried another request before. */
  reused: boolean
  readonly begunAtMs = monotonicMs()
  /** From writing the request to the first byte of the answer. */
  firstByteMs: number | null = null
  readonly #settle: (outcome: Outcome) => void
  readonly #wire: Wire
  readonly #maxBytes: number
  #isOver = false
  #writtenAtMs = 0
  #status = 0
  #headers: Headers = {}
  #chunks: Buffer[] = []
  #room: number

  constructor(wire: Wire, begins: { onUsed: boolean; maxAnswerBytes: number }) {
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    this.outcome = promise
    this.#settle = resolve
    this.#wire = wire
    this.#maxBytes = begins.maxAnswerBytes
    this.#room = begins.maxAnswerBytes
    this.reused = begins.onUsed
  }

  fail(fault: CallFault): void {
    this.#end({ is: 'failed', fault })
  }

  onRequestStart(): void {
    this.sent = true
    this.reused = this.#wire.beginsToCarry()
    this.#writtenAtMs = monotonicMs()
  }

  onResponseStarted(): void {
    this.firstByteMs ??= monotonicMs() - this.#writtenAtMs
  }

  onResponseStart(_: unknown, status: number, headers: Headers): void {
    // Several come if there are remarks on the way, such as early hints. The last is the answer.
    this.#status = status
    this.#headers = headers
  }

  onResponseData(_: unknown, chunk: Buffer): void {
    this.#chunks.push(chunk.length > this.#room ? chunk.subarray(0, this.#room) : chunk)
    this.#room -= chunk.length
    if (this.#room >= 0) return
    // The rest could be endless, and the connection is of no use until all of it has been read.
    this.#finish(true)
    this.#wire.hangUp()
  }

  onResponseEnd(): void {
    this.#finish(false)
  }

  onResponseError(_: unknown, error: unknown): void {
    this.fail(exchangeFault(error))
  }

  #finish(cut: boolean): void {
    const answer = { status: this.#status, headers: flat(this.#headers), body: this.#text(), cut }
    this.#end({ is: 'answered', answer })
  }

  #end(outcome: Outcome): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#settle(outcome)
    this.#wire.hasCarried()
  }

  /** Whatever the bytes are, as text that Postgres can hold: it cannot hold NUL. */
  #text(): string {
    if (this.#room === this.#maxBytes) return ''
    const [only, ...more] = this.#chunks
    const bytes = only !== undefined && more.length === 0 ? only : Buffer.concat(this.#chunks)
    return bytes.toString('utf8').replaceAll('\0', '\uFFFD')
  }
}

function flat(headers: Headers): Record<string, string> {
  const joined: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined) joined[name] = typeof value === 'string' ? value : value.join(', ')
  }
  return joined
}

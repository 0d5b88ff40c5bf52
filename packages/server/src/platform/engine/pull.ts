/**
 * Asks a consumer for messages, never for more than there are hands free. Requests expire after two seconds:
 * a consumer whose leader died does not answer, and one whose stream was deleted does not always say so, and
 * either way the silence is noticed soon. It asks for nothing else, so a message costs no round trip.
 */
import { createInbox, type Msg, type NatsConnection, nanos, type Subscription } from '@nats-io/transport-node'
import { monotonicMs } from '../../kernel/clock.ts'
import type { Connection } from './connection.ts'
import { type Message, toMessage } from './message.ts'
import { orAfter } from './nap.ts'
import { consumerName, streamName } from './streams.ts'
import type { WorkName } from './work.ts'

const expiresMs = 2_000
/** How much later than its expiry a request is given up. */
const graceMs = 500
/** After a refusal, so that a missing consumer is not asked thousands of times a second. */
const refusedPauseMs = 250
const drainTimeoutMs = 1_000

const requestTimeout = 408
const noMessages = 404

export type PullOptions = {
  readonly connection: Connection
  readonly work: WorkName
  /** The most messages held at a time. */
  readonly hands: number
  /** How many are held now. */
  readonly held: () => number
  readonly take: (message: Message) => void
  /** The consumer is not there, or says so. */
  readonly lost: () => void
}

export class Puller {
  readonly #options: PullOptions
  readonly #subject: string
  readonly #inbox = createInbox()
  #nats: NatsConnection | null = null
  #subscription: Subscription | null = null
  #stopped = false
  /** Messages asked for that have neither come nor been declined. */
  #asked = 0
  /** Requests belong to a round. What an older one still says about itself no longer counts. */
  #round = 0
  #lastRequestMs = 0
  #pausedUntilMs = 0

  constructor(options: PullOptions) {
    this.#options = options
    this.#subject = `$JS.API.CONSUMER.MSG.NEXT.${streamName}.${consumerName(options.work)}`
  }

  /** A hand became free. Waits until a quarter is: fewer requests, and most hands stay busy meanwhile. */
  released(): void {
    this.#ask(Math.ceil(this.#options.hands / 4))
  }

  /** Time has passed: gives up what was not answered, and asks for whatever is free. */
  tick(): void {
    const silentMs = monotonicMs() - this.#lastRequestMs
    if (this.#asked > 0 && silentMs > expiresMs + graceMs) this.#forget()
    this.#ask(1)
  }

  /** The connection is new, and with it every request is gone. */
  reconnected(): void {
    this.#pausedUntilMs = 0
    this.#forget()
    this.#ask(1)
  }

  /** Asks no more. When it settles, everything the server had sent has been taken. */
  async stop(): Promise<void> {
    this.#stopped = true
    const subscription = this.#subscription
    if (subscription === null || subscription.isClosed()) return
    // Without a connection draining would wait for the next one.
    if (this.#options.connection.line() === null) return subscription.unsubscribe()
    await orAfter(
      drainTimeoutMs,
      subscription.drain().catch(() => {}),
      undefined,
    )
  }

  #ask(least: number): void {
    const line = this.#options.connection.line()
    if (line === null || this.#stopped) return
    if (line.nats !== this.#nats) this.#listen(line.nats)
    const free = this.#options.hands - this.#options.held() - this.#asked
    const now = monotonicMs()
    if (free < least || now < this.#pausedUntilMs) return
    this.#asked += free
    this.#lastRequestMs = now
    const request = JSON.stringify({ batch: free, expires: nanos(expiresMs) })
    line.nats.publish(this.#subject, request, { reply: `${this.#inbox}.${this.#round}` })
  }

  #listen(nats: NatsConnection): void {
    this.#nats = nats
    this.#forget()
    this.#subscription = nats.subscribe(`${this.#inbox}.*`, {
      callback: (error, raw) => (error === null ? this.#hear(raw) : this.#refused()),
    })
  }

  /** A message comes under its own subject, words about a request under that of its round. */
  #hear(raw: Msg): void {
    if (!raw.subject.startsWith(this.#inbox)) {
      this.#asked = Math.max(0, this.#asked - 1)
      this.#options.take(toMessage(raw))
    } else if (raw.subject === `${this.#inbox}.${this.#round}`) {
      this.#answered(raw)
    }
  }

  #answered({ headers }: Msg): void {
    if (headers?.code === requestTimeout || headers?.code === noMessages) {
      this.#asked = Math.max(0, this.#asked - Number(headers.get('Nats-Pending-Messages') || 0))
      this.#ask(1)
    } else {
      this.#refused()
    }
  }

  /** No consumer, no stream, a leader that steps down: all requests are void. The clock asks again. */
  #refused(): void {
    this.#forget()
    this.#pausedUntilMs = monotonicMs() + refusedPauseMs
    this.#options.lost()
  }

  #forget(): void {
    this.#asked = 0
    this.#round += 1
  }
}

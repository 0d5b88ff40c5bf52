/**
 * Requests messages from a consumer, never more than can be handled. Requests expire after two seconds: a
 * consumer whose leader crashed does not respond, and one whose stream was deleted does not always report it. In
 * both cases the missing response is detected soon. No other requests are made, so a message costs no extra
 * round trip.
 */
import { createInbox, type Msg, type NatsConnection, nanos, type Subscription } from '@nats-io/transport-node'
import { monotonicMs } from '../../kernel/clock.ts'
import { withTimeout } from './cancellable-sleep.ts'
import type { Connection } from './connection.ts'
import { type Message, toMessage } from './message.ts'
import { consumerName } from './streams.ts'
import type { Stream } from './subjects.ts'
import type { WorkName } from './work.ts'

const expiresMs = 2_000
/** How long after its expiry a request is considered unanswered. */
const graceMs = 500
/** The pause after a rejection, so that a missing consumer does not get thousands of requests per second. */
const rejectionPauseMs = 250
const drainTimeoutMs = 1_000

const requestTimeout = 408
const noMessages = 404

export type PullOptions = {
  readonly connection: Connection
  readonly stream: Stream
  readonly work: WorkName
  /** The maximum number of messages held concurrently. */
  readonly concurrency: number
  /** The number of messages held now. */
  readonly heldCount: () => number
  readonly onMessage: (message: Message) => void
  /** Called when the consumer does not exist or does not respond. */
  readonly onLost: () => void
}

export class Puller {
  readonly #options: PullOptions
  readonly #subject: string
  readonly #inbox = createInbox()
  #nats: NatsConnection | null = null
  #subscription: Subscription | null = null
  #stopped = false
  /** Requested messages that have neither arrived nor been declined. */
  #requested = 0
  /** Requests belong to a round. Status messages for older rounds are ignored. */
  #round = 0
  #lastRequestMs = 0
  #pausedUntilMs = 0

  constructor(options: PullOptions) {
    this.#options = options
    this.#subject = `$JS.API.CONSUMER.MSG.NEXT.${options.stream.name}.${consumerName(options.work)}`
  }

  /**
   * Call this when a handler has finished. It requests messages once a quarter of the capacity is free: this
   * needs fewer requests, and most handlers stay busy in the meantime.
   */
  released(): void {
    this.#requestMessages(Math.ceil(this.#options.concurrency / 4))
  }

  /** Called periodically: gives up on unanswered requests, and requests messages for all free capacity. */
  tick(): void {
    const silentMs = monotonicMs() - this.#lastRequestMs
    if (this.#requested > 0 && silentMs > expiresMs + graceMs) this.#startNewRound()
    this.#requestMessages(1)
  }

  /** Call this after a reconnect, which invalidates all earlier requests. */
  reconnected(): void {
    this.#pausedUntilMs = 0
    this.#startNewRound()
    this.#requestMessages(1)
  }

  /**
   * Stops requesting messages. When the promise resolves, all messages sent by the server have been received.
   */
  async stop(): Promise<void> {
    this.#stopped = true
    const subscription = this.#subscription
    if (subscription === null || subscription.isClosed()) return
    // Without a connection, draining would wait for the next one.
    if (this.#options.connection.live() === null) return subscription.unsubscribe()
    await withTimeout(
      drainTimeoutMs,
      subscription.drain().catch(() => {}),
      undefined,
    )
  }

  #requestMessages(minFree: number): void {
    const live = this.#options.connection.live()
    if (live === null || this.#stopped) return
    if (live.nats !== this.#nats) this.#listen(live.nats)
    const free = this.#options.concurrency - this.#options.heldCount() - this.#requested
    const now = monotonicMs()
    if (free < minFree || now < this.#pausedUntilMs) return
    this.#requested += free
    this.#lastRequestMs = now
    const request = JSON.stringify({ batch: free, expires: nanos(expiresMs) })
    live.nats.publish(this.#subject, request, { reply: `${this.#inbox}.${this.#round}` })
  }

  #listen(nats: NatsConnection): void {
    this.#nats = nats
    this.#startNewRound()
    this.#subscription = nats.subscribe(`${this.#inbox}.*`, {
      callback: (error, raw) => (error === null ? this.#onMessage(raw) : this.#onRejection()),
    })
  }

  /** Work messages arrive on their own subjects, and the status of a request on the subject of its round. */
  #onMessage(raw: Msg): void {
    if (!raw.subject.startsWith(this.#inbox)) {
      this.#requested = Math.max(0, this.#requested - 1)
      this.#options.onMessage(toMessage(raw))
    } else if (raw.subject === `${this.#inbox}.${this.#round}`) {
      this.#onStatus(raw)
    }
  }

  #onStatus({ headers }: Msg): void {
    if (headers?.code === requestTimeout || headers?.code === noMessages) {
      this.#requested = Math.max(0, this.#requested - Number(headers.get('Nats-Pending-Messages') || 0))
      this.#requestMessages(1)
    } else {
      this.#onRejection()
    }
  }

  /**
   * There is no consumer, no stream, or the leader steps down: all requests are invalid. The next tick
   * requests again.
   */
  #onRejection(): void {
    this.#startNewRound()
    this.#pausedUntilMs = monotonicMs() + rejectionPauseMs
    this.#options.onLost()
  }

  #startNewRound(): void {
    this.#requested = 0
    this.#round += 1
  }
}

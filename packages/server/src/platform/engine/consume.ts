/**
 * Consumes and handles the messages of one work type with limited concurrency. A message is acknowledged
 * after `handle` has returned, and so after its commit: if a worker crashes, another one gets the message. The
 * consumer survives the loss of a stream, consumer or server, because it keeps requesting and the reconciler
 * recreates what is missing.
 */
import { unreachable } from '../../kernel/assert.ts'
import { monotonicMs } from '../../kernel/clock.ts'
import type { Ref } from '../../kernel/id.ts'
import { crashpoint } from '../crashpoint.ts'
import { attempt, type EngineDeps, type WorkContext, type WorkOutcome } from './attempt.ts'
import { withTimeout } from './cancellable-sleep.ts'
import type { Connection } from './connection.ts'
import type { Message } from './message.ts'
import { Puller } from './pull.ts'
import { parseWorkSubject, type Stream } from './subjects.ts'
import type { WorkType } from './work.ts'

const tickMs = 250
/**
 * A handler that runs longer is considered stuck, and its message is redelivered. If both handlers finish,
 * the version check of the row lets only one of them write.
 */
const maxHandlingMs = 10 * 60 * 1000

export type ConsumerOptions<Deps extends EngineDeps> = {
  readonly context: WorkContext<Deps>
  readonly connection: Connection
  readonly stream: Stream
  readonly work: WorkType<Deps>
  /** How many messages this process handles concurrently. */
  readonly concurrency: number
  /** After this time the engine redelivers a message, unless the worker reports progress. */
  readonly ackWaitMs: number
  /** Called when the consumer does not respond, so that the reconciler checks immediately. */
  readonly onLost: () => void
}

export type Consumer = {
  /** Stops requesting, lets running handlers finish within `timeoutMs`, and returns the rest. */
  stop(timeoutMs: number): Promise<void>
}

export function startConsumer<Deps extends EngineDeps>(options: ConsumerOptions<Deps>): Consumer {
  const consumer = new WorkConsumer(options)
  consumer.start()
  return consumer
}

type WorkItem = { readonly message: Message; readonly ref: Ref; readonly sinceMs: number }

class WorkConsumer<Deps extends EngineDeps> implements Consumer {
  readonly #options: ConsumerOptions<Deps>
  readonly #puller: Puller
  readonly #running = new Map<WorkItem, Promise<void>>()
  /** Messages beyond the concurrency limit: late responses to requests that had timed out. Normally empty. */
  readonly #waiting: WorkItem[] = []
  #stopping = false
  #unknownMessages = 0
  #tickTimer: NodeJS.Timeout | undefined
  #lastProgressMs = monotonicMs()
  #removeConnectListener = () => {}

  constructor(options: ConsumerOptions<Deps>) {
    const { connection, stream, work, concurrency, onLost } = options
    this.#options = options
    this.#puller = new Puller({
      connection,
      stream,
      work: work.name,
      concurrency,
      onLost,
      heldCount: () => this.#running.size + this.#waiting.length,
      onMessage: (message) => this.#receive(message),
    })
  }

  start(): void {
    this.#removeConnectListener = this.#options.connection.onConnected(() => this.#puller.reconnected())
    this.#tickTimer = setInterval(() => this.#onTick(), tickMs)
    this.#puller.tick()
  }

  async stop(timeoutMs: number): Promise<void> {
    this.#stopping = true
    this.#removeConnectListener()
    const deadlineMs = monotonicMs() + timeoutMs
    await this.#puller.stop()
    for (const { message } of this.#waiting.splice(0)) message.nak()
    const finished = Promise.all(this.#running.values())
    await withTimeout(Math.max(0, deadlineMs - monotonicMs()), finished, [])
    clearInterval(this.#tickTimer)
    for (const { message } of this.#running.keys()) message.nak()
  }

  #receive(message: Message): void {
    const { work, stream, context } = this.#options
    crashpoint('work.received', work.name)
    if (message.deliveries > 1) context.metrics.workRetried.inc({ work: work.name })
    const ref = parseWorkSubject(work, message.subject, stream)
    if (ref === null) this.#rejectMessage(message)
    else if (this.#stopping) message.nak()
    else this.#startOrQueue({ message, ref, sinceMs: monotonicMs() })
  }

  #rejectMessage(message: Message): void {
    this.#unknownMessages += 1
    message.term()
    this.#puller.released()
  }

  #startOrQueue(item: WorkItem): void {
    if (this.#running.size < this.#options.concurrency) this.#run(item)
    else this.#waiting.push(item)
  }

  #run(item: WorkItem): void {
    const { context, work } = this.#options
    const running = attempt(context, work, { ref: item.ref, failedBefore: item.message.deliveries > 1 })
      .then((outcome) => acknowledge(item.message, outcome))
      // The acknowledgement could not be sent. The engine redelivers the message, and the handler finds
      // nothing to do.
      .catch((error) => context.log.warn('A message could not be acknowledged.', { work: work.name, error }))
      .finally(() => this.#finished(item))
    this.#running.set(item, running)
  }

  #finished(item: WorkItem): void {
    this.#running.delete(item)
    const next = this.#waiting.shift()
    if (next !== undefined) this.#run(next)
    else this.#puller.released()
  }

  #onTick(): void {
    this.#puller.tick()
    this.#logUnknownMessages()
    const now = monotonicMs()
    // Three times per acknowledgement timeout, so that one report may be lost.
    if (now - this.#lastProgressMs < this.#options.ackWaitMs / 3) return
    this.#lastProgressMs = now
    // One timer for all messages: a timer for each would cost more than handling most messages.
    for (const { message } of this.#waiting) message.working()
    for (const { message, sinceMs } of this.#running.keys()) {
      if (now - sinceMs < maxHandlingMs) message.working()
    }
  }

  /** Logs one line for many messages. Their subjects are not logged, because they are untrusted text. */
  #logUnknownMessages(): void {
    if (this.#unknownMessages === 0) return
    const { context, work } = this.#options
    context.log.warn('Unknown messages were dropped.', {
      work: work.name,
      count: this.#unknownMessages,
    })
    this.#unknownMessages = 0
  }
}

function acknowledge(message: Message, outcome: WorkOutcome): void {
  if (outcome.status === 'done') message.ack()
  else if (outcome.status === 'failed') message.nak(outcome.retrySeconds * 1000)
  // If an operator releases parked work, the reconciler dispatches it again.
  else if (outcome.status === 'parked') message.term()
  else unreachable(outcome)
}

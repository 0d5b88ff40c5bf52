/**
 * Takes messages of one work and handles them, a limited number at a time. A message is acknowledged after
 * `handle` has returned, hence after its commit: a worker that dies leaves it to another. It outlives a lost
 * stream, consumer or server, since it keeps asking, and the reconciler makes what is missing.
 */
import { unreachable } from '../../kernel/assert.ts'
import { monotonicMs } from '../../kernel/clock.ts'
import type { Ref } from '../../kernel/id.ts'
import { crashpoint } from '../crashpoint.ts'
import { attempt, type EngineDeps, type Outcome, type WorkContext } from './attempt.ts'
import type { Connection } from './connection.ts'
import type { Message } from './message.ts'
import { orAfter } from './nap.ts'
import { Puller } from './pull.ts'
import { parseWorkSubject } from './subjects.ts'
import type { Work } from './work.ts'

const tickMs = 250
/** Who has been at it for longer hangs. Its message goes to another, and the fence decides between them. */
const longestHandlingMs = 10 * 60 * 1000

export type ConsumerOptions<Deps extends EngineDeps> = {
  readonly context: WorkContext<Deps>
  readonly connection: Connection
  readonly work: Work<Deps>
  /** How many are handled at a time by this process. */
  readonly hands: number
  /** After this the engine hands a message out again, unless it hears that somebody is still at it. */
  readonly ackWaitMs: number
  /** Called when the consumer does not answer, so that the reconciler looks at once. */
  readonly lost: () => void
}

export type Consumer = {
  /** Asks for no more, lets what runs finish until then, and gives the rest back. */
  stop(patienceMs: number): Promise<void>
}

export function startConsumer<Deps extends EngineDeps>(options: ConsumerOptions<Deps>): Consumer {
  const consumer = new WorkConsumer(options)
  consumer.start()
  return consumer
}

type Job = { readonly message: Message; readonly ref: Ref; readonly sinceMs: number }

class WorkConsumer<Deps extends EngineDeps> implements Consumer {
  readonly #options: ConsumerOptions<Deps>
  readonly #puller: Puller
  readonly #running = new Map<Job, Promise<void>>()
  /** More than there are hands: answers to requests that had been given up. Normally none. */
  readonly #waiting: Job[] = []
  #stopping = false
  #strangers = 0
  #ticker: NodeJS.Timeout | undefined
  #lastWorkingMs = monotonicMs()
  #unlisten = () => {}

  constructor(options: ConsumerOptions<Deps>) {
    const { connection, work, hands, lost } = options
    this.#options = options
    this.#puller = new Puller({
      connection,
      work: work.name,
      hands,
      lost,
      held: () => this.#running.size + this.#waiting.length,
      take: (message) => this.#take(message),
    })
  }

  start(): void {
    this.#unlisten = this.#options.connection.onConnected(() => this.#puller.reconnected())
    this.#ticker = setInterval(() => this.#tick(), tickMs)
    this.#puller.tick()
  }

  async stop(patienceMs: number): Promise<void> {
    this.#stopping = true
    this.#unlisten()
    const deadlineMs = monotonicMs() + patienceMs
    await this.#puller.stop()
    for (const { message } of this.#waiting.splice(0)) message.nak()
    const finished = Promise.all(this.#running.values())
    await orAfter(Math.max(0, deadlineMs - monotonicMs()), finished, [])
    clearInterval(this.#ticker)
    for (const { message } of this.#running.keys()) message.nak()
  }

  #take(message: Message): void {
    crashpoint('work.received')
    const { work, context } = this.#options
    if (message.deliveries > 1) context.metrics.workRetried.inc({ work: work.name })
    const ref = parseWorkSubject(work, message.subject)
    if (ref === null) this.#turnAway(message)
    else if (this.#stopping) message.nak()
    else this.#begin({ message, ref, sinceMs: monotonicMs() })
  }

  #turnAway(message: Message): void {
    this.#strangers += 1
    message.term()
    this.#puller.released()
  }

  #begin(job: Job): void {
    if (this.#running.size < this.#options.hands) this.#run(job)
    else this.#waiting.push(job)
  }

  #run(job: Job): void {
    const { context, work } = this.#options
    const running = attempt(context, work, { ref: job.ref, failedBefore: job.message.deliveries > 1 })
      .then((outcome) => answer(job.message, outcome))
      // Nobody is left to answer to. The engine hands it out again, and it finds nothing to do.
      .catch((error) => context.log.warn('A message could not be answered.', { work: work.name, error }))
      .finally(() => this.#finished(job))
    this.#running.set(job, running)
  }

  #finished(job: Job): void {
    this.#running.delete(job)
    const next = this.#waiting.shift()
    if (next !== undefined) this.#run(next)
    else this.#puller.released()
  }

  #tick(): void {
    this.#puller.tick()
    this.#tellOfStrangers()
    const now = monotonicMs()
    // Three times before the engine would lose patience, so that one of them may be lost.
    if (now - this.#lastWorkingMs < this.#options.ackWaitMs / 3) return
    this.#lastWorkingMs = now
    // One clock for all: a timer per message would cost more than most messages.
    for (const { message } of this.#waiting) message.working()
    for (const { message, sinceMs } of this.#running.keys()) {
      if (now - sinceMs < longestHandlingMs) message.working()
    }
  }

  /** One line for many, and without their subjects: those are texts of a stranger. */
  #tellOfStrangers(): void {
    if (this.#strangers === 0) return
    const { context, work } = this.#options
    context.log.warn('Messages that are none of ours were dropped.', {
      work: work.name,
      count: this.#strangers,
    })
    this.#strangers = 0
  }
}

function answer(message: Message, outcome: Outcome): void {
  if (outcome.is === 'done') message.ack()
  else if (outcome.is === 'failed') message.nak(outcome.retrySeconds * 1000)
  // A person releases it, and then the reconciler hands it out anew.
  else if (outcome.is === 'parked') message.term()
  else unreachable(outcome)
}

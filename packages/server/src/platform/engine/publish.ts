/**
 * Tells the engine which ids want attention. The fast path follows a commit: nobody waits for it, it never
 * throws, and what does not arrive is only late, since the reconciler finds it. The slow path is the
 * reconciler's: it publishes an id only if the engine does not hold it, so a slow one is not handed out twice.
 */
import { JetStreamApiCodes, JetStreamApiError, type JetStreamPublishOptions } from '@nats-io/jetstream'
import type { Ref } from '../../kernel/id.ts'
import type { Metrics } from '../metrics.ts'
import { createCoalescer } from './coalesce.ts'
import type { Connection, Line } from './connection.ts'
import { timerSubject, workSubject } from './subjects.ts'
import type { Hint, WorkName } from './work.ts'

/** Later than this no timer is set: the reconciler looks often enough, and timers cost memory. */
const timerHorizonMs = 60 * 60 * 1000
/** Hints on their way. More than these mean that the engine does not keep up, and a queue would not help it. */
const maxOutstanding = 1_000
/** After this a hint counts as lost. Nobody waits for it: it bounds how long one is remembered. */
const answerTimeoutMs = 1_000
/** An endpoint that gets a thousand events a second is rung a hundred times. */
const repeatsWithinMs = 10
/** Sent together by the slow path before it waits for the answers. */
const batchSize = 256

/** What became of ids that were published if absent. `failed` were neither taken nor refused. */
export type Handout = { readonly published: number; readonly refused: number; readonly failed: number }

export type Publisher = {
  /** After a commit. Returns at once, whatever state the engine is in. */
  publish(hints: readonly Hint[], now: Date): void
  /** Hands out what the engine does not hold, until it took `room` of them or a few more, or fails. */
  publishIfAbsent(work: WorkName, refs: readonly Ref[], room: number): Promise<Handout>
}

type Options = {
  readonly connection: Connection
  readonly metrics: Pick<Metrics, 'hintsLost'>
  /** Called for each hint that did not arrive, so that a reconciler in this process looks sooner. */
  readonly onLost?: () => void
}

export function createPublisher({ connection, metrics, onLost = () => {} }: Options): Publisher {
  let outstanding = 0

  const lost = () => {
    // Without an engine there is nothing to lose, only somebody to wake.
    if (connection.configured) metrics.hintsLost.inc()
    onLost()
  }

  const send = ({ subject, options }: Message) => {
    const line = connection.line()
    if (line === null || outstanding >= maxOutstanding) return lost()
    outstanding += 1
    line.jetStream
      .publish(subject, undefined, { ...options, timeout: answerTimeoutMs })
      .catch(lost)
      .finally(() => {
        outstanding -= 1
      })
  }

  const coalescer = createCoalescer(repeatsWithinMs, send)

  return {
    publish(hints, now) {
      for (const hint of hints) {
        const message = messageOf(hint, now)
        if (message !== null) coalescer.send(message.subject, message)
      }
    },
    async publishIfAbsent(work, refs, room) {
      const line = connection.line()
      if (line === null) return { published: 0, refused: 0, failed: refs.length }
      return handOut(
        line,
        refs.map((ref) => workSubject(work, ref)),
        room,
      )
    },
  }
}

type Message = { readonly subject: string; readonly options: Partial<JetStreamPublishOptions> }

/** Due now: the id itself. Due soon: a timer. Later: nothing. Pure. */
export function messageOf({ work, ref, at }: Hint, now: Date): Message | null {
  const target = workSubject(work, ref)
  const waitMs = at.getTime() - now.getTime()
  if (waitMs <= 0) return { subject: target, options: {} }
  if (waitMs > timerHorizonMs) return null
  return { subject: timerSubject(work, ref), options: { schedule: { specification: { at }, target } } }
}

async function handOut(line: Line, subjects: readonly string[], room: number): Promise<Handout> {
  const counts = { published: 0, refused: 0, failed: 0 }
  let from = 0
  // After a failure the rest is left alone: it stays due, and the next pass is not far.
  while (from < subjects.length && counts.published < room && counts.failed === 0) {
    const batch = subjects.slice(from, from + batchSize)
    const answers = await Promise.all(batch.map((subject) => publishAbsent(line, subject)))
    for (const answer of answers) counts[answer] += 1
    from += batch.length
  }
  return counts
}

function publishAbsent({ jetStream }: Line, subject: string): Promise<keyof Handout> {
  // Sequence 0 means that the subject holds no message, neither waiting nor handed out.
  return jetStream.publish(subject, undefined, { expect: { lastSubjectSequence: 0 } }).then(
    () => 'published',
    (error) => (isHeld(error) ? 'refused' : 'failed'),
  )
}

function isHeld(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false
  const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = JetStreamApiCodes
  return error.code === StreamWrongLastSequence || error.code === StreamWrongLastSequenceUnknown
}

/**
 * Publishes the ids of due work to the engine. The fast path runs after a commit: it never blocks and never
 * throws, and a lost hint only causes a delay, because the reconciler finds the work. The slow path is used
 * by the reconciler: it publishes an id only if the stream does not have it, so that slow work is not
 * dispatched twice.
 */
import { JetStreamApiCodes, JetStreamApiError, type JetStreamPublishOptions } from '@nats-io/jetstream'
import type { Id, Ref } from '../../kernel/id.ts'
import type { Metrics } from '../metrics.ts'
import { createCoalescer } from './coalesce.ts'
import type { Connection, LiveConnection } from './connection.ts'
import { onlyStream, type Stream, timerSubject, workSubject } from './subjects.ts'
import type { Hint, WorkName } from './work.ts'

/** No timer is set beyond this: the reconciler polls often enough, and timers cost memory. */
const timerHorizonMs = 60 * 60 * 1000
/** Hints in flight. More than this means that the engine does not keep up, and a queue would not help. */
const maxOutstanding = 1_000
/**
 * After this time a hint counts as lost. No caller waits for it; the timeout limits how long it is tracked.
 */
const ackTimeoutMs = 1_000
/** Repeated hints within this window are sent once: a thousand events per second cause a hundred hints. */
const coalesceWindowMs = 10
/** The slow path sends this many before it waits for the responses. */
const batchSize = 256

/**
 * The number of ids by result. `queued`: the stream already had the id. `failed`: the server returned an error
 * or did not respond.
 */
export type PublishCounts = { readonly published: number; readonly queued: number; readonly failed: number }

export type PublishBatch = {
  readonly stream: Stream
  readonly work: WorkName
  readonly refs: readonly Ref[]
  readonly limit: number
}

export type Publisher = {
  /** Call this after a commit. Returns immediately, whatever the state of the engine. */
  publish(hints: readonly Hint[], now: Date): void
  /**
   * Publishes ids that the stream does not have. Stops after a failure, or after at least `limit` ids were
   * accepted.
   */
  publishIfAbsent(batch: PublishBatch): Promise<PublishCounts>
}

type Options = {
  readonly connection: Connection
  readonly metrics: Pick<Metrics, 'hintsLost'>
  /** The stream of the shard of a workspace. */
  readonly streamOf?: (workspaceId: Id<'workspace'>) => Stream
  /** Called for each lost hint, so that a reconciler in this process checks sooner. */
  readonly onLost?: () => void
}

export function createPublisher({
  connection,
  metrics,
  streamOf = () => onlyStream,
  onLost = () => {},
}: Options): Publisher {
  let outstanding = 0

  const countLost = () => {
    // Without an engine no hint is lost; the call only wakes the reconciler.
    if (connection.configured) metrics.hintsLost.inc()
    onLost()
  }

  const send = ({ subject, options }: Message) => {
    const live = connection.live()
    if (live === null || outstanding >= maxOutstanding) return countLost()
    outstanding += 1
    live.jetStream
      .publish(subject, undefined, { ...options, timeout: ackTimeoutMs })
      .catch(countLost)
      .finally(() => {
        outstanding -= 1
      })
  }

  const coalescer = createCoalescer(coalesceWindowMs, send)

  return {
    publish(hints, now) {
      for (const hint of hints) {
        const message = messageOf(hint, now, streamOf(hint.ref.workspaceId))
        if (message !== null) coalescer.send(message.subject, message)
      }
    },
    async publishIfAbsent({ stream, work, refs, limit }) {
      const live = connection.live()
      if (live === null) return { published: 0, queued: 0, failed: refs.length }
      return publishAbsentInBatches(
        live,
        refs.map((ref) => workSubject(work, ref, stream)),
        limit,
      )
    },
  }
}

type Message = { readonly subject: string; readonly options: Partial<JetStreamPublishOptions> }

/**
 * Work that is due now is published on its subject, and work due soon as a timer. Null for later work. Has no side
 * effects.
 */
export function messageOf({ work, ref, at }: Hint, now: Date, stream = onlyStream): Message | null {
  const target = workSubject(work, ref, stream)
  const waitMs = at.getTime() - now.getTime()
  if (waitMs <= 0) return { subject: target, options: {} }
  if (waitMs > timerHorizonMs) return null
  return {
    subject: timerSubject(work, ref, stream),
    options: { schedule: { specification: { at }, target } },
  }
}

async function publishAbsentInBatches(
  live: LiveConnection,
  subjects: readonly string[],
  limit: number,
): Promise<PublishCounts> {
  const counts = { published: 0, queued: 0, failed: 0 }
  let from = 0
  // After a failure the rest is skipped: it stays due, and the next pass is soon.
  while (from < subjects.length && counts.published < limit && counts.failed === 0) {
    const batch = subjects.slice(from, from + batchSize)
    const results = await Promise.all(batch.map((subject) => publishAbsent(live, subject)))
    for (const result of results) counts[result] += 1
    from += batch.length
  }
  return counts
}

function publishAbsent({ jetStream }: LiveConnection, subject: string): Promise<keyof PublishCounts> {
  // Sequence 0 means that the subject has no message, neither waiting nor delivered.
  return jetStream.publish(subject, undefined, { expect: { lastSubjectSequence: 0 } }).then(
    () => 'published',
    (error) => (isAlreadyQueued(error) ? 'queued' : 'failed'),
  )
}

function isAlreadyQueued(error: unknown): boolean {
  if (!(error instanceof JetStreamApiError)) return false
  const { StreamWrongLastSequence, StreamWrongLastSequenceUnknown } = JetStreamApiCodes
  return error.code === StreamWrongLastSequence || error.code === StreamWrongLastSequenceUnknown
}

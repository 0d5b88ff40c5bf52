/**
 * The stream and its consumers, as code. Nobody makes them by hand, and nobody needs to keep them: what is
 * missing is made, what differs from here is changed, and what was in it is found again in Postgres.
 */
import {
  AckPolicy,
  type ConsumerConfig,
  type ConsumerInfo,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
  type StreamInfo,
} from '@nats-io/jetstream'
import { nanos } from '@nats-io/transport-node'
import { subjectsOfStream, workFilter } from './subjects.ts'
import type { WorkName } from './work.ts'

/** One shard, one stream. With more shards each gets its own, for the slots it holds. */
export const streamName = 'WORK'

/** Ids that wait for their next attempt count as handed out. They must not keep healthy ones from coming. */
const maxAckPending = 10_000
/** No id waits that long unless nobody asks for its work, and a limit keeps strangers from filling the disk. */
const maxAgeSeconds = 24 * 60 * 60
const maxMessages = 1_000_000

export type StreamSettings = {
  /** How many copies there are: 1, or 3 in a cluster. */
  readonly replicas: number
  /** After this the id of a dead worker is handed out again. A living one says in time that it is at it. */
  readonly ackWaitMs: number
}

export type EngineState = {
  /** Differs from the one last seen if the stream was lost and made again, by whomever. */
  readonly createdAt: string
  /** How many ids the engine holds, waiting or handed out, by work. */
  readonly held: ReadonlyMap<WorkName, number>
}

export function consumerName(work: WorkName): string {
  // A dot separates tokens of a subject, and the consumer's name is one of them.
  return work.replace('.', '-')
}

/** Makes the stream and the consumers as they should be. Throws while JetStream cannot do it. */
export async function ensureStreams(
  manager: JetStreamManager,
  works: readonly WorkName[],
  settings: StreamSettings,
): Promise<EngineState> {
  const stream = await ensureStream(manager, settings)
  const consumers = await Promise.all(works.map((work) => ensureConsumer(manager, work, settings)))
  const heldBy = (info: ConsumerInfo | undefined) => (info ? info.num_pending + info.num_ack_pending : 0)
  return {
    createdAt: stream.created,
    held: new Map(works.map((work, place) => [work, heldBy(consumers[place])])),
  }
}

async function ensureStream(manager: JetStreamManager, settings: StreamSettings): Promise<StreamInfo> {
  const wanted = streamConfig(settings)
  const found = await orNull(manager.streams.info(streamName), JetStreamApiCodes.StreamNotFound)
  if (found === null) return manager.streams.add(wanted)
  return differs(wanted, found.config) ? manager.streams.update(streamName, wanted) : found
}

async function ensureConsumer(
  manager: JetStreamManager,
  work: WorkName,
  settings: StreamSettings,
): Promise<ConsumerInfo> {
  const wanted = consumerConfig(work, settings)
  const name = consumerName(work)
  const found = await orNull(manager.consumers.info(streamName, name), JetStreamApiCodes.ConsumerNotFound)
  if (found === null) return manager.consumers.add(streamName, wanted)
  return differs(wanted, found.config) ? manager.consumers.update(streamName, name, wanted) : found
}

function streamConfig({ replicas }: StreamSettings) {
  return {
    name: streamName,
    subjects: subjectsOfStream,
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    // Published twice is there once. Schedules exclude the other way, discarding what is new.
    max_msgs_per_subject: 1,
    discard: DiscardPolicy.Old,
    allow_msg_schedules: true,
    max_age: nanos(maxAgeSeconds * 1000),
    max_msgs: maxMessages,
    num_replicas: replicas,
  } satisfies Partial<StreamConfig>
}

function consumerConfig(work: WorkName, { ackWaitMs }: StreamSettings) {
  return {
    durable_name: consumerName(work),
    filter_subject: workFilter(work),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    // Failures are counted in Postgres; the engine never gives up by itself.
    max_deliver: -1,
    max_ack_pending: maxAckPending,
  } satisfies Partial<ConsumerConfig>
}

/** Looks at what we ask for, and at nothing that the server adds. */
function differs(wanted: object, found: object): boolean {
  const actual = new Map<string, unknown>(Object.entries(found))
  return Object.entries(wanted).some(
    ([name, value]) => JSON.stringify(actual.get(name)) !== JSON.stringify(value),
  )
}

/** Null if what was asked for is not there. */
export async function orNull<T>(answer: Promise<T>, missing: number): Promise<T | null> {
  return answer.catch((error) => {
    if (error instanceof JetStreamApiError && error.code === missing) return null
    throw error
  })
}

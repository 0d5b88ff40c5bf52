/**
 * The stream and its consumers, as code. They need no manual setup and no backup: missing ones are created,
 * different ones are updated, and their content is restored from Postgres.
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
import { type Stream, subjectsOf, workFilter } from './subjects.ts'
import type { WorkName } from './work.ts'

/** Ids that wait for their next attempt count as delivered. They must not block others. */
const maxAckPending = 10_000
/**
 * Ids reach this age only if no worker consumes their work type. The limits also prevent other publishers
 * from filling the disk.
 */
const maxAgeSeconds = 24 * 60 * 60
const maxMessages = 1_000_000

export type StreamSettings = {
  /** The number of replicas: 1, or 3 in a cluster. */
  readonly replicas: number
  /** After this time the id of a dead worker is redelivered. A live worker reports progress in time. */
  readonly ackWaitMs: number
}

export type EngineState = {
  /** Differs from the last value if the stream was deleted and recreated. */
  readonly createdAt: string
  /** How many ids the stream has per work type, waiting or delivered. */
  readonly queued: ReadonlyMap<WorkName, number>
}

export function consumerName(work: WorkName): string {
  // A dot separates tokens of a subject, and the name of the consumer must be one token.
  return work.replace('.', '-')
}

/** Creates or updates the stream and the consumers. Throws if JetStream is unavailable. */
export async function ensureStreams(
  { manager, stream }: StreamLocation,
  workNames: readonly WorkName[],
  settings: StreamSettings,
): Promise<EngineState> {
  const { created } = await ensureStream(manager, stream, settings)
  const consumers = await Promise.all(
    workNames.map((work) => ensureConsumer({ manager, stream }, work, settings)),
  )
  const queuedAt = (info: ConsumerInfo | undefined) => (info ? info.num_pending + info.num_ack_pending : 0)
  return {
    createdAt: created,
    queued: new Map(workNames.map((work, index) => [work, queuedAt(consumers[index])])),
  }
}

export type StreamLocation = { readonly manager: JetStreamManager; readonly stream: Stream }

async function ensureStream(
  manager: JetStreamManager,
  stream: Stream,
  settings: StreamSettings,
): Promise<StreamInfo> {
  const expected = streamConfig(stream, settings)
  const found = await orNull(manager.streams.info(stream.name), JetStreamApiCodes.StreamNotFound)
  if (found === null) return manager.streams.add(expected)
  return differs(expected, found.config) ? manager.streams.update(stream.name, expected) : found
}

async function ensureConsumer(
  { manager, stream }: StreamLocation,
  work: WorkName,
  settings: StreamSettings,
): Promise<ConsumerInfo> {
  const expected = consumerConfig(stream, work, settings)
  const name = consumerName(work)
  const found = await orNull(manager.consumers.info(stream.name, name), JetStreamApiCodes.ConsumerNotFound)
  if (found === null) return manager.consumers.add(stream.name, expected)
  return differs(expected, found.config) ? manager.consumers.update(stream.name, name, expected) : found
}

function streamConfig(stream: Stream, { replicas }: StreamSettings) {
  return {
    name: stream.name,
    subjects: subjectsOf(stream),
    retention: RetentionPolicy.Workqueue,
    storage: StorageType.File,
    // A message published twice is stored once. `DiscardPolicy.New` cannot be combined with schedules.
    max_msgs_per_subject: 1,
    discard: DiscardPolicy.Old,
    allow_msg_schedules: true,
    max_age: nanos(maxAgeSeconds * 1000),
    max_msgs: maxMessages,
    num_replicas: replicas,
  } satisfies Partial<StreamConfig>
}

function consumerConfig(stream: Stream, work: WorkName, { ackWaitMs }: StreamSettings) {
  return {
    durable_name: consumerName(work),
    filter_subject: workFilter(work, stream),
    deliver_policy: DeliverPolicy.All,
    ack_policy: AckPolicy.Explicit,
    ack_wait: nanos(ackWaitMs),
    // Failures are counted in Postgres; the engine itself never gives up.
    max_deliver: -1,
    max_ack_pending: maxAckPending,
  } satisfies Partial<ConsumerConfig>
}

/** Compares only the settings that we define, and ignores those that the server adds. */
function differs(expected: object, found: object): boolean {
  const actual = new Map<string, unknown>(Object.entries(found))
  return Object.entries(expected).some(
    ([name, value]) => JSON.stringify(actual.get(name)) !== JSON.stringify(value),
  )
}

/** Null if the requested object does not exist. */
export async function orNull<T>(response: Promise<T>, notFoundCode: number): Promise<T | null> {
  return response.catch((error) => {
    if (error instanceof JetStreamApiError && error.code === notFoundCode) return null
    throw error
  })
}

/** The state of JetStream, for the doctor. */
import { JetStreamApiCodes } from '@nats-io/jetstream'
import type { Connection } from './connection.ts'
import { consumerName, orNull } from './streams.ts'
import type { Stream } from './subjects.ts'
import type { WorkName } from './work.ts'

export type StreamFacts = {
  readonly exists: boolean
  readonly messages: number
  /** Work types without a consumer. The reconciler creates missing ones. */
  readonly missing: readonly WorkName[]
}

/** Null while there is no connection. */
export async function streamFacts(
  connection: Connection,
  stream: Stream,
  workNames: readonly WorkName[],
): Promise<StreamFacts | null> {
  const live = connection.live()
  if (live === null) return null
  const info = await orNull(live.manager.streams.info(stream.name), JetStreamApiCodes.StreamNotFound)
  if (info === null) return { exists: false, messages: 0, missing: workNames }
  const consumers = new Set<string>()
  for await (const { name } of live.manager.consumers.list(stream.name)) consumers.add(name)
  return {
    exists: true,
    messages: info.state.messages,
    missing: workNames.filter((work) => !consumers.has(consumerName(work))),
  }
}

export type NatsFacts = {
  readonly version: string
  readonly hasJetStream: boolean
}

/** Null while there is no connection. */
export function natsFacts(connection: Connection): NatsFacts | null {
  const info = connection.live()?.nats.info
  return info === undefined ? null : { version: info.version, hasJetStream: info.jetstream === true }
}

export type StorageFacts = { readonly usedBytes: number; readonly limitBytes: number | null }

/** The storage used by our account, and its limit if there is one. Null if unknown. */
export async function storageFacts(connection: Connection): Promise<StorageFacts | null> {
  const live = connection.live()
  const info = await live?.manager.getAccountInfo().catch(() => null)
  if (!info) return null
  const { max_storage: limit } = info.limits
  return { usedBytes: info.storage, limitBytes: limit > 0 ? limit : null }
}

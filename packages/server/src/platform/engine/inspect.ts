/** What JetStream holds, for the doctor. */
import { JetStreamApiCodes } from '@nats-io/jetstream'
import type { Connection } from './connection.ts'
import { consumerName, orNull, streamName } from './streams.ts'
import type { WorkName } from './work.ts'

export type StreamFacts = {
  readonly isThere: boolean
  readonly messages: number
  /** Works that nobody could be handed out by it. The reconciler makes what is missing. */
  readonly missing: readonly WorkName[]
}

/** Null while there is no connection. */
export async function streamFacts(
  connection: Connection,
  works: readonly WorkName[],
): Promise<StreamFacts | null> {
  const line = connection.line()
  if (line === null) return null
  const info = await orNull(line.manager.streams.info(streamName), JetStreamApiCodes.StreamNotFound)
  if (info === null) return { isThere: false, messages: 0, missing: works }
  const consumers = new Set<string>()
  for await (const { name } of line.manager.consumers.list(streamName)) consumers.add(name)
  return {
    isThere: true,
    messages: info.state.messages,
    missing: works.filter((work) => !consumers.has(consumerName(work))),
  }
}

export type NatsFacts = {
  readonly version: string
  readonly hasJetStream: boolean
}

/** Null while there is no connection. */
export function natsFacts(connection: Connection): NatsFacts | null {
  const info = connection.line()?.nats.info
  return info === undefined ? null : { version: info.version, hasJetStream: info.jetstream === true }
}

export type StorageFacts = { readonly usedBytes: number; readonly limitBytes: number | null }

/** What our account has stored, and its limit if it has one. Null if nobody can say. */
export async function storageFacts(connection: Connection): Promise<StorageFacts | null> {
  const line = connection.line()
  const info = await line?.manager.getAccountInfo().catch(() => null)
  if (!info) return null
  const { max_storage: limit } = info.limits
  return { usedBytes: info.storage, limitBytes: limit > 0 ? limit : null }
}

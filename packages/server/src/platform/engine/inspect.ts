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

/** A JetStream stream with complete webhooks, for a consumer that only sends them. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { BareRequest } from './bare-sender.ts'

export const stream = 'BENCH_WEBHOOKS'
export const consumer = 'bare'
const prefix = 'bench.webhook'
const batch = 250

export async function fillStream(natsUrl: string, requests: readonly BareRequest[]): Promise<void> {
  const nats = await connect({ servers: natsUrl })
  const manager = await jetstreamManager(nats)
  await manager.streams.add({
    name: stream,
    subjects: [`${prefix}.>`],
    retention: 'workqueue',
    storage: 'file',
  })
  await manager.consumers.add(stream, {
    durable_name: consumer,
    ack_policy: 'explicit',
    max_ack_pending: 4_096,
  })
  const client = jetstream(nats)
  for (let from = 0; from < requests.length; from += batch) {
    const part = requests.slice(from, from + batch)
    await Promise.all(part.map((request) => client.publish(subjectOf(request), request.body)))
  }
  await nats.close()
}

/** The subject contains the path, so that the message is the body. */
function subjectOf({ eventId, path }: BareRequest): string {
  return `${prefix}.${eventId}${path.replaceAll('/', '.')}`
}

export function readSubject(subject: string): Pick<BareRequest, 'eventId' | 'path'> {
  const [eventId = '', ...parts] = subject.slice(prefix.length + 1).split('.')
  return { eventId, path: `/${parts.join('/')}` }
}

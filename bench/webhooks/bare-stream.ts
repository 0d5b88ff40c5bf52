/** A stream of JetStream that holds whole webhooks, for a consumer that does nothing but post them. */
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import type { Errand } from './bare-sender.ts'

export const stream = 'BENCH_WEBHOOKS'
export const consumer = 'bare'
const prefix = 'bench.webhook'
const batch = 250

export async function fillStream(natsUrl: string, errands: readonly Errand[]): Promise<void> {
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
  const engine = jetstream(nats)
  for (let from = 0; from < errands.length; from += batch) {
    const part = errands.slice(from, from + batch)
    await Promise.all(part.map((errand) => engine.publish(subjectOf(errand), errand.body)))
  }
  await nats.close()
}

/** The subject says where to, so that the content is what is posted. */
function subjectOf({ eventId, path }: Errand): string {
  return `${prefix}.${eventId}${path.replaceAll('/', '.')}`
}

export function readSubject(subject: string): Pick<Errand, 'eventId' | 'path'> {
  const [eventId = '', ...words] = subject.slice(prefix.length + 1).split('.')
  return { eventId, path: `/${words.join('/')}` }
}

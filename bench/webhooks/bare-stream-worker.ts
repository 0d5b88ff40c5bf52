// The JetStream baseline: consumes messages, sends identical requests with undici, and acknowledges. No Postgres, no
// signatures.

import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { bareSender, concurrency } from './bare-sender.ts'
import { consumer as durable, readSubject, stream } from './bare-stream.ts'

const [natsUrl = '', sinkUrl = ''] = process.argv.slice(2)
const post = bareSender(sinkUrl)
const nats = await connect({ servers: natsUrl, noAsyncTraces: true })
const consumer = await jetstream(nats).consumers.get(stream, durable)
const messages = await consumer.consume({ max_messages: 4 * concurrency })

const iterator = messages[Symbol.asyncIterator]()
await Promise.all(Array.from({ length: concurrency }, consumeMessages))

async function consumeMessages(): Promise<void> {
  for (;;) {
    const { value: message, done } = await iterator.next()
    if (done) return
    await post({ ...readSubject(message.subject), body: message.data })
    message.ack()
  }
}

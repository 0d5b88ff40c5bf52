// JetStream's own consumer, a POST of the same bytes by undici, an acknowledgement: no Postgres, no signature.

import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { bareSender, hands } from './bare-sender.ts'
import { consumer as durable, readSubject, stream } from './bare-stream.ts'

const [natsUrl = '', sinkUrl = ''] = process.argv.slice(2)
const post = bareSender(sinkUrl)
const nats = await connect({ servers: natsUrl, noAsyncTraces: true })
const consumer = await jetstream(nats).consumers.get(stream, durable)
const messages = await consumer.consume({ max_messages: 4 * hands })

const taken = messages[Symbol.asyncIterator]()
await Promise.all(Array.from({ length: hands }, takeTurns))

async function takeTurns(): Promise<void> {
  for (;;) {
    const { value: message, done } = await taken.next()
    if (done) return
    await post({ ...readSubject(message.subject), body: message.data })
    message.ack()
  }
}

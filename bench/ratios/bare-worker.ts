// The same messages and the same statements without the engine: JetStream's own consumer, `pg`, and as many
// hands as a worker has.

import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Pool } from 'pg'
import { uuidOf } from '../../packages/server/src/kernel/id.ts'
import { workerDefaults } from '../../packages/server/src/platform/engine/engine.ts'
import { consumerName, streamName } from '../../packages/server/src/platform/engine/streams.ts'
import { parseWorkSubject } from '../../packages/server/src/platform/engine/subjects.ts'
import { benchJobs, doJob } from './jobs.ts'

const [databaseUrl, natsUrl = ''] = process.argv.slice(2)
const hands = workerDefaults.handsPerWork
const pool = new Pool({ connectionString: databaseUrl, max: hands, options: '-c role=switchyard_app' })
const nats = await connect({ servers: natsUrl, noAsyncTraces: true })
const consumer = await jetstream(nats).consumers.get(streamName, consumerName(benchJobs.name))
const messages = await consumer.consume({ max_messages: 4 * hands })

const taken = messages[Symbol.asyncIterator]()
await Promise.all(Array.from({ length: hands }, takeTurns))

async function takeTurns(): Promise<void> {
  for (;;) {
    const { value: message, done } = await taken.next()
    if (done) return
    const ref = parseWorkSubject(benchJobs, message.subject)
    if (ref !== null) await doOne(uuidOf(ref.workspaceId), uuidOf(ref.id))
    message.ack()
  }
}

async function doOne(workspace: string, id: string): Promise<void> {
  const client = await pool.connect()
  await client.query(`begin; select set_config('app.workspace', '${workspace}', true)`)
  await client.query({ name: 'do job', text: doJob, values: [workspace, id] })
  await client.query('commit')
  client.release()
}

// The baseline without the engine: a plain JetStream consumer with the same messages, the same statements with `pg`, and
// the same concurrency as a worker.

import { jetstream } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { Pool } from 'pg'
import { uuidOf } from '../../packages/server/src/kernel/id.ts'
import { workerDefaults } from '../../packages/server/src/platform/engine/engine.ts'
import { consumerName } from '../../packages/server/src/platform/engine/streams.ts'
import { onlyStream, parseWorkSubject } from '../../packages/server/src/platform/engine/subjects.ts'
import { benchJobs, updateJob } from './jobs.ts'

const [databaseUrl, natsUrl = ''] = process.argv.slice(2)
const concurrency = workerDefaults.concurrencyPerWork
const pool = new Pool({ connectionString: databaseUrl, max: concurrency, options: '-c role=switchyard_app' })
const nats = await connect({ servers: natsUrl, noAsyncTraces: true })
const consumer = await jetstream(nats).consumers.get(onlyStream.name, consumerName(benchJobs.name))
const messages = await consumer.consume({ max_messages: 4 * concurrency })

const iterator = messages[Symbol.asyncIterator]()
await Promise.all(Array.from({ length: concurrency }, consumeMessages))

async function consumeMessages(): Promise<void> {
  for (;;) {
    const { value: message, done } = await iterator.next()
    if (done) return
    const ref = parseWorkSubject(benchJobs, message.subject)
    if (ref !== null) await runJob(uuidOf(ref.workspaceId), uuidOf(ref.id))
    message.ack()
  }
}

async function runJob(workspace: string, id: string): Promise<void> {
  const client = await pool.connect()
  await client.query(`begin; select set_config('app.workspace', '${workspace}', true)`)
  await client.query({ name: 'do job', text: updateJob, values: [workspace, id] })
  await client.query('commit')
  client.release()
}

// The baseline without the server: reads the backlog once, then sends each webhook with undici and writes the rows of a
// delivery. Nothing is signed, claimed, scheduled or fenced.

import { openRows, readPendingDeliveries, writeInBatches, writeOneByOne } from './bare-rows.ts'
import { bareSender, forEach } from './bare-sender.ts'

const [databaseUrl = '', method] = process.argv.slice(2)
const pool = openRows(databaseUrl)
const pendingDeliveries = await readPendingDeliveries(pool)
const write = method === 'batches' ? writeInBatches(pool) : writeOneByOne(pool)
const post = bareSender(new URL(pendingDeliveries[0]?.url ?? '').origin)

await forEach(pendingDeliveries, async (delivery) => {
  const { pathname: path } = new URL(delivery.url)
  await write(delivery, await post({ path, eventId: delivery.eventId, body: delivery.body }))
})
console.log('done')
// Stay alive: the parent process reads the CPU time first, and then ends this process.
setInterval(() => {}, 3_600_000)

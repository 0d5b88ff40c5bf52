// Webhooks without the service: what waits is read once, then each is a POST by undici and the rows that a
// delivery writes. Nothing is signed, claimed, scheduled or fenced.

import { inBatches, oneByOne, openRows, readWaiting } from './bare-rows.ts'
import { bareSender, forEach } from './bare-sender.ts'

const [databaseUrl = '', how] = process.argv.slice(2)
const pool = openRows(databaseUrl)
const waiting = await readWaiting(pool)
const write = how === 'batches' ? inBatches(pool) : oneByOne(pool)
const post = bareSender(new URL(waiting[0]?.url ?? '').origin)

await forEach(waiting, async (delivery) => {
  const { pathname: path } = new URL(delivery.url)
  await write(delivery, await post({ path, eventId: delivery.eventId, body: delivery.body }))
})
console.log('done')
// Whoever started it looks at its processor time, and then ends it.
setInterval(() => {}, 3_600_000)

// `npm run bench:dashboard`: measures frame times of the dashboard in Chromium, while a list of 100,000 payments is
// scrolled and the live tail receives 200 events per second. Use `-- --payments 1000 --seconds 5` for a short run.

import { parseArgs } from 'node:util'
import { buildIfStale } from '../packages/dashboard/build.ts'
import { startDashboard } from './dashboard/environment.ts'
import { measureFrames } from './dashboard/frames.ts'
import { loadAverage } from './ratios/processor.ts'
import { table } from './table.ts'

const { values } = parseArgs({
  options: {
    payments: { type: 'string', default: '100000' },
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '200' },
  },
})
const [payments, seconds, rate] = [values.payments, values.seconds, values.rate].map(Number) as [
  number,
  number,
  number,
]

await buildIfStale()
const dashboard = await startDashboard(payments)
try {
  const list = await dashboard.open('/payments')
  await list.getByRole('table', { name: 'Payments' }).waitFor()
  const scrolled = await measureFrames(list, seconds, () => list.mouse.wheel(0, 900))

  const tail = await dashboard.open('/events/tail')
  const creatingEvents = dashboard.createEvents(rate, seconds)
  const tailed = await measureFrames(tail, seconds, async () => undefined)
  const eventCount = await creatingEvents

  const head = ['', 'frames', 'p50 ms', 'p99 ms', 'longest ms', 'over 33 ms', 'rows in the page', 'heap MB']
  console.log(table(head, [resultRow('list, scrolled', scrolled), resultRow('live tail', tailed)]))
  console.log(
    `\n${payments} payments in the list. The tail received ${Math.round(eventCount / seconds)} events per second.`,
  )
  console.log(`System load: ${loadAverage()}.`)
} finally {
  await dashboard.close()
}

function resultRow(name: string, { frames, rows, heapMb }: Awaited<ReturnType<typeof measureFrames>>) {
  const sorted = frames.toSorted((a, b) => a - b)
  const quantile = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  const slowFrames = sorted.filter((ms) => ms > 33.4).length
  return [name, sorted.length, quantile(0.5), quantile(0.99), quantile(1), slowFrames, rows, heapMb]
}

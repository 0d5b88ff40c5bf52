// `npm run bench:dashboard`: whether the dashboard stays quick when there is much. A list of 100,000 payments is
// scrolled through, and the live tail gets 200 events a second; how long each frame took is measured in Chromium.
// `-- --payments 1000 --seconds 5` for a quick look.

import { parseArgs } from 'node:util'
import { buildIfStale } from '../packages/dashboard/build.ts'
import { measureFrames } from './dashboard/frames.ts'
import { openOffice } from './dashboard/office.ts'
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
const office = await openOffice(payments)
try {
  const list = await office.open('/payments')
  await list.getByRole('table', { name: 'Payments' }).waitFor()
  const scrolled = await measureFrames(list, seconds, () => list.mouse.wheel(0, 900))

  const tail = await office.open('/events/tail')
  const sending = office.makeEvents(rate, seconds)
  const followed = await measureFrames(tail, seconds, async () => undefined)
  const made = await sending

  const head = ['', 'frames', 'p50 ms', 'p99 ms', 'longest ms', 'over 33 ms', 'rows in the page', 'heap MB']
  console.log(table(head, [row('list, scrolled', scrolled), row('live tail', followed)]))
  console.log(
    `\n${payments} payments in the list. The tail got ${Math.round(made / seconds)} events a second.`,
  )
  console.log(`Load of the machine: ${loadAverage()}.`)
} finally {
  await office.close()
}

function row(name: string, { frames, rows, heapMb }: Awaited<ReturnType<typeof measureFrames>>) {
  const sorted = frames.toSorted((one, other) => one - other)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  const late = sorted.filter((ms) => ms > 33.4).length
  return [name, sorted.length, at(0.5), at(0.99), at(1), late, rows, heapMb]
}

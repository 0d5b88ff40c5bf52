// `npm run capacity -- --payments-per-second 100`: estimates disk, WAL and commits at this rate of payments, from the
// measured cost of one payment. `--measure` makes two thousand payments and updates perf/capacity.json.

import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { partitionedTables } from '../packages/server/src/platform/db/partitions.ts'
import { type PaymentSize, planFor, type Retention } from './capacity/capacity-plan.ts'
import { measurePaymentSize } from './capacity/measure-payment-size.ts'
import { measureMessageSize } from './capacity/message-size.ts'
import { startEnvironment } from './ratios/environment.ts'
import { table } from './table.ts'

const { values } = parseArgs({
  options: {
    measure: { type: 'boolean', default: false },
    payments: { type: 'string', default: '2000' },
    'payments-per-second': { type: 'string', default: '10,100,1000' },
  },
})
const file = resolve(import.meta.dirname, '../perf/capacity.json')

const paymentSize = values.measure ? await measure(Number(values.payments)) : read()
console.log(`Per payment, measured over ${paymentSize.payments} payments:\n\n${sizeTable(paymentSize)}\n`)
const rates = values['payments-per-second'].split(',').map(Number)
if (rates.some((rate) => !(rate > 0))) throw new Error('--payments-per-second must be a number above 0.')
console.log(planTable(rates))

async function measure(payments: number): Promise<PaymentSize> {
  const bench = await startEnvironment(null)
  try {
    const size = await measurePaymentSize(bench, payments)
    // Measure messages last, when no worker is running: a worker would process them.
    const messageBytes = await measureMessageSize(bench.nats.url)
    const { tables, ...sums } = size
    const measured = { ...sums, messageBytes, tables }
    writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`)
    return measured
  } finally {
    await bench.clear()
  }
}

function read(): PaymentSize {
  return JSON.parse(readFileSync(file, 'utf8')) as PaymentSize
}

function retentions(): readonly Retention[] {
  return partitionedTables.map(({ table: name, keepDays }) => ({ table: name, days: keepDays }))
}

function sizeTable({ tables, ...sums }: PaymentSize): string {
  const retention = retentions()
  const rows = tables.map(({ table: name, rows: count, bytes }) => {
    const days = retention.find((entry) => entry.table === name)?.days ?? null
    return [name, count, bytes, days === null ? 'forever' : `${days} days`]
  })
  const costs = `${sums.commits.toFixed(1)} commits, ${sums.statements.toFixed(1)} statements, ${sums.walBytes} bytes of WAL; ${sums.connections} connections of an api and a worker; ${sums.messageBytes} bytes in NATS per pending message`
  return `${table(['table', 'rows', 'bytes with indexes', 'retention'], rows)}\n\n${costs}`
}

function planTable(perSecond: readonly number[]): string {
  const plans = perSecond.map((rate) => planFor(paymentSize, retentions(), rate))
  const gb = (bytes: number) => (bytes / 1e9).toFixed(1)
  const rows = [
    ['payments per month, million', ...plans.map((plan) => (plan.paymentsPerMonth / 1e6).toFixed(1))],
    ['commits per second', ...plans.map((plan) => Math.round(plan.commitsPerSecond))],
    ['WAL, MB per second', ...plans.map((plan) => (plan.walBytesPerSecond / 1e6).toFixed(2))],
    ['WAL, GB per day', ...plans.map((plan) => gb(plan.walBytesPerDay))],
    ['permanent data, GB growth per month', ...plans.map((plan) => gb(plan.growthPerMonth))],
    ['data with limited retention, GB in total', ...plans.map((plan) => gb(plan.steadyStateBytes))],
  ]
  return table(['', ...perSecond.map((rate) => `${rate} per second`)], rows)
}

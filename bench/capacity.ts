// `npm run capacity -- --payments-per-second 100`: how much disk, WAL and how many commits so many payments take, by
// what was measured of one. `--measure` makes two thousand of them and writes perf/capacity.json anew.

import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { partitionedTables } from '../packages/server/src/platform/db/partitions.ts'
import { weighMessages } from './capacity/messages.ts'
import { weighPayments } from './capacity/weigh.ts'
import { type Kept, planFor, type Weight } from './capacity/weight.ts'
import { setStage } from './ratios/stage.ts'
import { table } from './table.ts'

const { values } = parseArgs({
  options: {
    measure: { type: 'boolean', default: false },
    payments: { type: 'string', default: '2000' },
    'payments-per-second': { type: 'string', default: '10,100,1000' },
  },
})
const file = resolve(import.meta.dirname, '../perf/capacity.json')

const weight = values.measure ? await measure(Number(values.payments)) : read()
console.log(`Of one payment, measured over ${weight.payments}:\n\n${weightTable(weight)}\n`)
const rates = values['payments-per-second'].split(',').map(Number)
if (rates.some((rate) => !(rate > 0))) throw new Error('--payments-per-second is a number above 0.')
console.log(planTable(rates))

async function measure(payments: number): Promise<Weight> {
  const stage = await setStage(null)
  try {
    const weighed = await weighPayments(stage, payments)
    // Afterwards: a worker would have taken these for work.
    const messageBytes = await weighMessages(stage.nats.url)
    const { tables, ...sums } = weighed
    const measured = { ...sums, messageBytes, tables }
    writeFileSync(file, `${JSON.stringify(measured, null, 2)}\n`)
    return measured
  } finally {
    await stage.clear()
  }
}

function read(): Weight {
  return JSON.parse(readFileSync(file, 'utf8')) as Weight
}

function keptFor(): readonly Kept[] {
  return partitionedTables.map(({ table: name, keepDays }) => ({ table: name, days: keepDays }))
}

function weightTable({ tables, ...sums }: Weight): string {
  const kept = keptFor()
  const rows = tables.map(({ table: name, rows: count, bytes }) => {
    const days = kept.find((one) => one.table === name)?.days ?? null
    return [name, count, bytes, days === null ? 'for ever' : `${days} days`]
  })
  const costs = `${sums.commits.toFixed(1)} commits, ${sums.statements.toFixed(1)} statements, ${sums.walBytes} bytes of WAL; ${sums.connections} connections of an api and a worker; ${sums.messageBytes} bytes of NATS for an id that waits`
  return `${table(['table', 'rows', 'bytes with indexes', 'kept'], rows)}\n\n${costs}`
}

function planTable(perSecond: readonly number[]): string {
  const plans = perSecond.map((rate) => planFor(weight, keptFor(), rate))
  const gb = (bytes: number) => (bytes / 1e9).toFixed(1)
  const rows = [
    ['payments a month, million', ...plans.map((plan) => (plan.paymentsPerMonth / 1e6).toFixed(1))],
    ['commits a second', ...plans.map((plan) => Math.round(plan.commitsPerSecond))],
    ['WAL, MB a second', ...plans.map((plan) => (plan.walBytesPerSecond / 1e6).toFixed(2))],
    ['WAL, GB a day', ...plans.map((plan) => gb(plan.walBytesPerDay))],
    ['what stays, GB more each month', ...plans.map((plan) => gb(plan.growthPerMonth))],
    ['what comes and goes, GB in all', ...plans.map((plan) => gb(plan.standing))],
  ]
  return table(['', ...perSecond.map((rate) => `${rate} a second`)], rows)
}

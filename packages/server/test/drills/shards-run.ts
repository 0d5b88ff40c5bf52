// npm run drill:shards -- [--seconds 20] [--shard-seconds 60] [--control-seconds 600] [--rate 8] [--subscriptions 4]:
// two data shards and a control plane under load. One shard stops, then the control plane.
// docs/operations/scale.md describes the drill.

import { parseArgs } from 'node:util'
import { table } from '../../../../bench/table.ts'
import { drillShards, type PhaseOfShard } from './shards-drill.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    'shard-seconds': { type: 'string', default: '60' },
    'control-seconds': { type: 'string', default: '600' },
    rate: { type: 'string', default: '8' },
    subscriptions: { type: 'string', default: '4' },
  },
})

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const { phases, signIns, acknowledged, received, violations } = await drillShards({
  seconds: Number(values.seconds),
  shardSeconds: Number(values['shard-seconds']),
  controlSeconds: Number(values['control-seconds']),
  perSecond: Number(values.rate),
  subscriptions: Number(values.subscriptions),
  settings: {},
  onPhase: (phase) => console.log(`${new Date().toISOString()} ${phase}`),
})
console.log('')

/** The p99 of a shard while everything runs, to which the other phases are compared. */
const normalP99 = new Map(phases.slice(0, 2).map(({ shard, p99Ms }) => [shard, p99Ms]))
const formatFailures = (failedAttempts: PhaseOfShard['failedAttempts']) =>
  Object.entries(failedAttempts)
    .map(([status, count]) => `${count} × ${status === '0' ? 'no response' : status}`)
    .join(', ')

console.log(
  table(
    [
      'phase',
      'shard',
      'attempts',
      'failed attempts',
      'p99 ms',
      'p99 ratio',
      'payments',
      'renewals',
      'webhooks',
    ],
    phases.map(({ phase, shard, calls, failedAttempts, p99Ms, payments, renewals, webhooks }) => [
      phase,
      shard,
      calls,
      formatFailures(failedAttempts) || 0,
      Math.round(p99Ms),
      (p99Ms / (normalP99.get(shard) ?? p99Ms)).toFixed(2),
      payments,
      renewals,
      webhooks,
    ]),
  ),
)
console.log('')
for (const { phase, status, detail } of signIns)
  console.log(`Sign-in while ${phase}: ${status}${detail === null ? '' : `, ${detail}`}`)
for (const shard of ['a', 'b'] as const)
  console.log(
    `Shard ${shard}: ${acknowledged[shard]} successful responses, ${received[shard]} events received.`,
  )
for (const violation of violations) console.log(`FAILED  ${violation}`)
if (violations.length === 0)
  console.log('The other shard was not affected, and nothing is missing or charged twice.')
process.exitCode = violations.length === 0 ? 0 : 1

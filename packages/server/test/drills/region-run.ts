// npm run drill:region -- [--charges 200]: a region is lost with its last charges. Clients repeat their requests, and
// `reconcile` rebuilds the others from the list of the provider.

import { parseArgs } from 'node:util'
import { table } from '../../../../bench/table.ts'
import { drillRegion } from './region-drill.ts'

const { values } = parseArgs({ options: { charges: { type: 'string', default: '200' } } })
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))

const { steps, lost, charges, returned, runs, violations } = await drillRegion({
  charges: Number(values.charges),
  settings: { archive_timeout: '1' },
})
console.log(
  table(
    ['step', 'seconds'],
    steps.map(({ step, ms }) => [step, (ms / 1000).toFixed(1)]),
  ),
)
for (const { code, out } of runs)
  console.log(`\nreconcile ended with ${code}: ${out.trim().split('\n').at(-1)}`)
console.log(`\n${lost} requests were lost and repeated.`)
console.log(`Charges at the provider: ${charges.before} before the loss, ${charges.after} now.`)
console.log(`Refunded or voided charges without an idempotency key: ${returned}.`)
for (const violation of violations) console.log(`FAILED  ${violation}`)
process.exitCode = violations.length === 0 && charges.before === charges.after ? 0 : 1

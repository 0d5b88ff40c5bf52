// npm run test:taxes -- [--invoices 10000] [--seed 1]: finalizes that many invoices whose tax a simulated provider computes and
// records, while a third of the responses are lost, late or errors. Fails unless each invoice is recorded exactly once.

import { parseArgs } from 'node:util'
import { startTemporaryPostgres } from '../money/temporary-postgres.ts'
import { runFaultedTaxes } from './faulted-taxes.ts'

const { values } = parseArgs({
  options: {
    invoices: { type: 'string', default: '10000' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const invoices = Number(values.invoices)
const seed = Number(values.seed)
if (!Number.isSafeInteger(invoices) || invoices < 20)
  throw new Error('--invoices must be an integer of at least 20.')

const temporaryPostgres = await startTemporaryPostgres()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => temporaryPostgres.stop().finally(() => process.exit(130)))
try {
  const startedMs = performance.now()
  const { failures, ...counts } = await runFaultedTaxes(await temporaryPostgres.newDatabase(), {
    invoices,
    seed,
  })
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  console.log(JSON.stringify({ seed, ...counts, failures: failures.length, seconds }))
  for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`)
  if (failures.length > 0) process.exitCode = 1
} finally {
  await temporaryPostgres.stop()
}

// npm run test:vaults -- [--sequences 2500] [--seed 1]: pays with cards in simulated vaults that fail before, during and after
// they forward a call, four payments per sequence. Fails if a payment is charged twice, if a payment does not agree with
// the ledger of its provider, or if a card number is in the database or in the log.

import { parseArgs } from 'node:util'
import { startTemporaryPostgres } from '../money/temporary-postgres.ts'
import { runFaultedSequences } from './faulted-sequences.ts'

const { values } = parseArgs({
  options: {
    sequences: { type: 'string', default: '250' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const sequences = Number(values.sequences)
const seed = Number(values.seed)
if (!Number.isSafeInteger(sequences) || sequences < 1)
  throw new Error('--sequences must be an integer of at least 1.')

const temporaryPostgres = await startTemporaryPostgres()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => temporaryPostgres.stop().finally(() => process.exit(130)))
try {
  const startedMs = performance.now()
  const { failures, inReview, ...counts } = await runFaultedSequences(await temporaryPostgres.newDatabase(), {
    sequences,
    seed,
  })
  const seconds = Math.round((performance.now() - startedMs) / 1000)
  console.log(
    JSON.stringify({
      seed,
      sequences,
      ...counts,
      inReview: inReview.length,
      failures: failures.length,
      seconds,
    }),
  )
  for (const [cause, count] of countBy(inReview)) console.log(`  in review ${count}: ${cause}`)
  for (const failure of failures.slice(0, 20)) console.log(`  ${failure}`)
  if (failures.length > 0) process.exitCode = 1
} finally {
  await temporaryPostgres.stop()
}

/** The plans without what does not matter for the cause, most frequent first. */
function countBy(plans: readonly string[]): readonly (readonly [string, number])[] {
  const counts = new Map<string, number>()
  for (const plan of plans) {
    const [vault = '', accounts = '', card = '', , faults = ''] = plan.split(', ')
    const cause = `${vault.split(' ')[0]}, first account ${accounts.split(' ')[0]}, card ${card}, first fault ${faults.split(' ')[0] || 'none'}`
    counts.set(cause, (counts.get(cause) ?? 0) + 1)
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)
}

// npm run test:cuts -- [--every 1] [--connector stripe] [--calls] [--write]: cuts the response to every call of every
// connector after each byte (`--every 7`: after each seventh byte), and the connection before and after the request is
// read. Fails if a payment is charged twice, or if an outcome is neither known nor under review. `--calls` makes the
// calls without the app, which is about ten times as fast. `--write` stores the counts in perf/lost-responses.json,
// which `npm run generate` shows on the pages of the connectors.

import { parseArgs } from 'node:util'
import { table } from '../../../../bench/table.ts'
import { connectors } from '../../src/providers/connectors.ts'
import { simulator as protocol } from '../../src/providers/custom/provider.ts'
import { startTemporaryPostgres } from '../money/temporary-postgres.ts'
import type { CutProvider } from './cut-cases.ts'
import { cutCalls, cutConnector, type StepCounts } from './cut-report.ts'
import { openCutInstallation } from './installation.ts'
import { writeMeasuredCuts } from './measured-cuts.ts'

const { values } = parseArgs({
  options: {
    every: { type: 'string', default: '1' },
    connector: { type: 'string' },
    calls: { type: 'boolean', default: false },
    write: { type: 'boolean', default: false },
  },
})
const every = Number(values.every)
const providers: readonly CutProvider[] = [protocol, ...connectors]
const selected = providers.filter(({ id }) => values.connector === undefined || values.connector === id)
if (!Number.isSafeInteger(every) || every < 1) throw new Error('--every must be an integer of at least 1.')
if (values.calls && values.write) throw new Error('--write stores the results of the app, so omit --calls.')
if (selected.length === 0)
  throw new Error(`--connector must be one of ${providers.map(({ id }) => id).join(', ')}.`)

const head = [
  'connector',
  'call',
  'response bytes',
  'cuts',
  'succeeded',
  'failed',
  'in review',
  'double charges',
  'lost',
]
const rowOf = (name: string, counts: StepCounts) => [
  name,
  counts.step,
  counts.responseBytes,
  counts.cuts,
  counts.succeeded,
  counts.failed,
  counts.in_review,
  counts.double_charge,
  counts.lost,
]

const selectBytes = (responseBytes: number) =>
  Array.from({ length: Math.floor(responseBytes / every) + 1 }, (_, index) => index * every)

const temporaryPostgres = values.calls ? null : await startTemporaryPostgres()
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => Promise.resolve(temporaryPostgres?.stop()).finally(() => process.exit(130)))
try {
  const rows: (string | number)[][] = []
  for (const provider of selected) {
    const startedMs = performance.now()
    const { counts, faults } =
      temporaryPostgres === null
        ? await cutCalls(provider, selectBytes)
        : await cutConnector(
            async () => openCutInstallation(await temporaryPostgres.newDatabase()),
            provider,
            selectBytes,
          )
    rows.push(...counts.map((step) => rowOf(provider.id, step)))
    console.log(`${provider.id}: ${Math.round((performance.now() - startedMs) / 1000)} s`)
    for (const fault of faults.slice(0, 20)) console.log(`  ${fault}`)
    if (faults.length > 0) process.exitCode = 1
    else if (values.write)
      writeMeasuredCuts(provider.id, {
        measuredOn: new Date().toISOString().slice(0, 10),
        every,
        calls: counts,
      })
  }
  console.log(`\n${table(head, rows)}`)
} finally {
  await temporaryPostgres?.stop()
}

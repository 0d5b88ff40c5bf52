// `npm run counters`: counts the database cost of each operation, compares it with the recorded numbers, and checks the
// query plans. `--write` records the new numbers, `--statements` lists the statements of each operation.

import { parseArgs } from 'node:util'
import { type Counts, countAll, findPlanProblems, quietSettings } from './counters/count-all.ts'
import { compare, readRecorded, reportPlanProblems, toRecord, writeRecorded } from './counters/record.ts'
import { table } from './table.ts'
import { startTemporaryPostgres } from './temporary-postgres.ts'

const { values } = parseArgs({ options: { write: { type: 'boolean' }, statements: { type: 'boolean' } } })

const postgres = await startTemporaryPostgres(quietSettings)
try {
  const counts = await countAll(postgres)
  console.log(countsTable(counts))
  if (values.statements) printStatements(counts)
  if (values.write) writeRecorded(counts)
  const problems = [
    ...compare(counts, readRecorded()),
    ...reportPlanProblems(await findPlanProblems(postgres, 50_000)),
  ]
  for (const problem of problems) console.error(problem)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  await postgres.remove()
}

function countsTable(counts: Counts): string {
  const rows = [...counts].map(([name, count]) => {
    const { statements, frames, commits, pages, wal_bytes } = toRecord(count)
    return [name, statements, frames, commits, pages, wal_bytes]
  })
  return table(['operation', 'statements', 'frame', 'commits', 'pages', 'WAL bytes'], rows)
}

function printStatements(counts: Counts): void {
  for (const [name, { lines }] of counts) {
    console.log(`\n${name}`)
    for (const { text, calls, pages } of lines)
      console.log(`  ${calls.toFixed(2)} x, ${pages.toFixed(2)} pages: ${text.slice(0, 160)}`)
  }
}

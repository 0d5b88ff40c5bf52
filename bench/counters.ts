// `npm run counters`: what each operation costs the database, beside what was written down, and what is wrong
// with its plans. With --write the new figures are written down, with --statements it says which statements
// they come from.

import { parseArgs } from 'node:util'
import { type Counts, countAll, findFaults, quietSettings } from './counters/count-all.ts'
import { compare, complainAboutPlans, readRecorded, toRecord, writeRecorded } from './counters/record.ts'
import { table } from './table.ts'
import { throwawayPostgres } from './throwaway.ts'

const { values } = parseArgs({ options: { write: { type: 'boolean' }, statements: { type: 'boolean' } } })

const postgres = await throwawayPostgres(quietSettings)
try {
  const counts = await countAll(postgres)
  console.log(asTable(counts))
  if (values.statements) printStatements(counts)
  if (values.write) writeRecorded(counts)
  const complaints = [
    ...compare(counts, readRecorded()),
    ...complainAboutPlans(await findFaults(postgres, 50_000)),
  ]
  for (const complaint of complaints) console.error(complaint)
  process.exitCode = complaints.length === 0 ? 0 : 1
} finally {
  await postgres.remove()
}

function asTable(counts: Counts): string {
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

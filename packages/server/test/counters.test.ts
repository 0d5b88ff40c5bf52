// Compares the database cost of each operation with the limits in perf/counters.json. The costs are measured
// on a separate PostgreSQL server without background activity.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Counts, countAll, findPlanProblems, quietSettings } from '../../../bench/counters/count-all.ts'
import { compare, readRecorded, reportPlanProblems } from '../../../bench/counters/record.ts'
import { startTemporaryPostgres, type TemporaryPostgres } from '../../../bench/temporary-postgres.ts'

const timeoutMs = 300_000

let postgres: TemporaryPostgres
let counts: Counts

beforeAll(async () => {
  postgres = await startTemporaryPostgres(quietSettings)
  counts = await countAll(postgres)
}, timeoutMs)

afterAll(() => postgres?.remove())

test('no operation costs more statements, commits, pages or WAL than its recorded limit', () => {
  expect(compare(counts, readRecorded())).toEqual([])
})

test(
  'no plan reads, sorts or discards rows that were not requested',
  async () => {
    expect(reportPlanProblems(await findPlanProblems(postgres, 50_000))).toEqual([])
  },
  timeoutMs,
)

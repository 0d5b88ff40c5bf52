// What each operation costs the database, beside what perf/counters.json says it may. Counted on a server
// of its own, where nothing happens by itself.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Counts, countAll, findFaults, quietSettings } from '../../../bench/counters/count-all.ts'
import { compare, complainAboutPlans, readRecorded } from '../../../bench/counters/record.ts'
import { type Throwaway, throwawayPostgres } from '../../../bench/throwaway.ts'

const patienceMs = 300_000

let postgres: Throwaway
let counts: Counts

beforeAll(async () => {
  postgres = await throwawayPostgres(quietSettings)
  counts = await countAll(postgres)
}, patienceMs)

afterAll(() => postgres?.remove())

test('no operation costs more statements, commits, pages or WAL than is written down', () => {
  expect(compare(counts, readRecorded())).toEqual([])
})

test(
  'no plan reads, sorts or throws away rows that nobody asked for',
  async () => {
    expect(complainAboutPlans(await findFaults(postgres, 50_000))).toEqual([])
  },
  patienceMs,
)

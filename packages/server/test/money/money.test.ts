// The short version of `npm run test:money`. The seed is fixed, so a failure means that the code changed.
// `npm run nightly` runs more scenarios.

import { expect, test } from 'vitest'
import { newDatabase } from '../support/database.ts'
import { failureReport, reproduceCommand } from './failure-report.ts'
import { generatePaymentScenario } from './generate-payment-scenario.ts'
import { outdatedPatches } from './mutants/patched-copy.ts'
import { mutants } from './mutants/table.ts'
import { runBatch } from './scenario-batch.ts'
import type { Kind } from './scenario-kinds.ts'

const seed = 20261115
const minutes = 20

/** Generic plans are faster for these statements, and the data need not survive a power failure. */
const options = '-c plan_cache_mode=force_generic_plan -c synchronous_commit=off'

type Run = { readonly kind: Kind; readonly sequences: number; readonly shards?: number }

async function expectNoFailure({ kind, sequences, shards = 1 }: Run): Promise<void> {
  const shardUrls = shards === 1 ? [] : await Promise.all(Array.from({ length: shards }, newFastDatabase))
  const { finished, failure, scenariosByShard } = await runBatch({
    databaseUrl: await newFastDatabase(),
    shardUrls,
    kind,
    seed,
    from: 0,
    step: 1,
    until: sequences,
    harnesses: 8,
    shrinks: true,
  })
  if (failure !== null)
    expect.fail(
      `${failureReport(failure)}\n\n${reproduceCommand({ kind, seed, index: failure.index, shards })}`,
    )
  expect(finished).toBe(sequences)
  const counts = Object.values(scenariosByShard)
  expect(counts).toHaveLength(shards)
  expect(counts).not.toContain(0)
}

async function newFastDatabase(): Promise<string> {
  const address = new URL(await newDatabase())
  address.searchParams.set('options', options)
  return address.href
}

test(
  'no payment scenario charges a payer twice, loses money or stays unfinished',
  {
    timeout: minutes * 60_000,
  },
  () => expectNoFailure({ kind: 'payments', sequences: 150 }),
)

test(
  'no billing scenario loses or duplicates money between payments, invoices, subscriptions and sessions',
  {
    timeout: minutes * 60_000,
  },
  () => expectNoFailure({ kind: 'billing', sequences: 60 }),
)

test.each([
  { kind: 'payments', sequences: 12 },
  { kind: 'billing', sequences: 6 },
] as const)(
  'no scenario about $kind fails on two shards with a control plane of its own',
  {
    timeout: minutes * 60_000,
  },
  ({ kind, sequences }) => expectNoFailure({ kind, sequences, shards: 2 }),
)

test('a seed always generates the same scenarios, and another seed generates others', () => {
  const generate = (scenarioSeed: number) =>
    JSON.stringify([0, 1, 2, 3].map((index) => generatePaymentScenario(scenarioSeed, index)))

  expect(generate(seed)).toBe(generate(seed))
  expect(generate(seed + 1)).not.toBe(generate(seed))
})

test('the patches of all mutants still match the source', () => {
  expect(outdatedPatches(mutants.flatMap(({ patches = [] }) => patches))).toEqual([])
})

// Runs many scenarios, several concurrently, until one fails.

import { type Harness, openHarness } from './harness.ts'
import { addCounts, type KindCounts } from './kind-counts.ts'
import { generateScenario, type Kind, runScenario, type Scenario } from './scenario-kinds.ts'
import type { RunResult } from './scenario-run.ts'
import { type Failure, shrink } from './shrink.ts'
import { openTestInstallation, type TestDatabases } from './test-installation.ts'

export type ScenarioBatch = TestDatabases & {
  readonly kind: Kind
  readonly seed: number
  /** Indexes of the scenarios: `from`, `from + step` and so on, below `until`. */
  readonly from: number
  readonly step: number
  readonly until: number
  /** The number of harnesses, each of which runs one scenario at a time. */
  readonly harnesses: number
  /** Whether a failing scenario is shrunk. */
  readonly shrinks: boolean
}

export type BatchResult = {
  readonly finished: number
  readonly counts: KindCounts
  readonly scenariosByShard: Readonly<Record<string, number>>
  readonly failure: (Failure & { readonly index: number }) | null
}

export async function runBatch(
  batch: ScenarioBatch,
  onFinished: () => void = () => {},
): Promise<BatchResult> {
  const installation = await openTestInstallation(batch)
  const harnesses: Harness[] = []
  try {
    for (let count = 0; count < batch.harnesses; count += 1) harnesses.push(await openHarness(installation))
    const result = await runOnAll(harnesses, batch, onFinished)
    return { ...result, scenariosByShard: Object.fromEntries(installation.scenariosByShard) }
  } finally {
    for (const harness of harnesses) await harness.close()
    await installation.close()
  }
}

type FailedScenario = { readonly index: number; readonly scenario: Scenario; readonly result: RunResult }

async function runOnAll(
  harnesses: readonly Harness[],
  { kind, seed, from, step, until, shrinks }: ScenarioBatch,
  onFinished: () => void,
): Promise<Omit<BatchResult, 'scenariosByShard'>> {
  const failed: FailedScenario[] = []
  let next = from
  let count = 0
  let counts: KindCounts = {}
  const runUntilOneFails = async (harness: Harness) => {
    while (next < until && failed.length === 0) {
      const index = next
      next += step
      const scenario = generateScenario(kind, seed, index)
      const result = await runSafely(harness, scenario)
      count += 1
      counts = addCounts(counts, result.counts ?? {})
      onFinished()
      if (result.violations.length > 0) failed.push({ index, scenario, result })
    }
  }
  await Promise.all(harnesses.map(runUntilOneFails))
  const [first] = failed
  const [harness] = harnesses
  const finished = { finished: count, counts }
  if (first === undefined || harness === undefined) return { ...finished, failure: null }
  const { index, scenario, result } = first
  if (!shrinks) return { ...finished, failure: { index, scenario, result, failsEachTime: true } }
  const smaller = await shrink((candidate) => runSafely(harness, candidate), scenario, result)
  return { ...finished, failure: { ...smaller, index } }
}

/** A scenario that does not finish in time counts as a failure. */
const timeoutMs = 120_000

async function runSafely(harness: Harness, scenario: Scenario): Promise<RunResult> {
  const { promise: timedOut, resolve } = Promise.withResolvers<RunResult>()
  const timer = setTimeout(
    () => resolve({ lines: [], violations: [`hangs: not finished after ${timeoutMs / 1000} seconds`] }),
    timeoutMs,
  )
  const toViolation = (error: unknown): RunResult => ({
    lines: [],
    violations: [`cannot be run: ${error instanceof Error ? error.stack : error}`],
  })
  const result = await Promise.race([runScenario(harness, scenario).catch(toViolation), timedOut])
  clearTimeout(timer)
  return result
}

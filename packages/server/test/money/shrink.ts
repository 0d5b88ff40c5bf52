// Removes steps and faults from a failing scenario as long as it fails for the same reason, so that the
// report is short.

import type { ScenarioOf, StepOf } from './payment-scenario.ts'
import type { Scenario } from './scenario-kinds.ts'
import type { RunResult } from './scenario-run.ts'

export type Failure = {
  readonly scenario: Scenario
  readonly result: RunResult
  readonly failsEachTime: boolean
}

type RunOnce = (scenario: Scenario) => Promise<RunResult>

const maxRuns = 200

export async function shrink(runOnce: RunOnce, failing: Scenario, first: RunResult): Promise<Failure> {
  let runs = 0
  const reasons = reasonsOf(first)
  const runUntilFailure = async (scenario: Scenario, attempts: number): Promise<RunResult | null> => {
    for (let attempt = 0; attempt < attempts && runs < maxRuns; attempt += 1) {
      runs += 1
      const result = await runOnce(scenario)
      if (reasonsOf(result).some((reason) => reasons.includes(reason))) return result
    }
    return null
  }

  const repeated = [await runUntilFailure(failing, 1), await runUntilFailure(failing, 1)]
  const failsEachTime = repeated.every((result) => result !== null)
  // If the failure depends on timing, a candidate is run more often before it counts as passing.
  const attempts = failsEachTime ? 1 : 4
  let scenario = failing
  let result = repeated.find((candidate) => candidate !== null) ?? first
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false
    for (const candidate of smallerScenarios(scenario)) {
      const failed = await runUntilFailure(candidate, attempts)
      if (failed === null) continue
      scenario = candidate
      result = failed
      isSmaller = true
      break
    }
  }
  return { scenario, result, failsEachTime }
}

/** The violated rules, without ids. */
export function reasonsOf({ violations }: RunResult): string[] {
  return violations.map((violation) => violation.split(':')[0] as string)
}

type Action = { readonly do: string }
type Step = StepOf<Action>

/** Scenarios with fewer or simpler steps. */
function* smallerScenarios(scenario: Scenario): Generator<Scenario> {
  const { steps } = scenario as ScenarioOf<Action>
  const withSteps = (fewer: readonly Step[]) => ({ ...scenario, steps: fewer }) as Scenario
  for (let size = Math.floor(steps.length / 2); size >= 1; size = Math.floor(size / 2)) {
    for (let from = 0; from < steps.length; from += size) yield withSteps(steps.toSpliced(from, size))
  }
  for (const [index, step] of steps.entries()) {
    for (const simpler of simplerSteps(step)) yield withSteps(steps.toSpliced(index, 1, ...simpler))
  }
  yield* withMoreSimulators(scenario)
  for (const [name, value] of Object.entries(simplestScenario))
    if (name in scenario && scenario[name as keyof Scenario] !== value)
      yield { ...scenario, [name]: value } as Scenario
}

function* withMoreSimulators(scenario: Scenario): Generator<Scenario> {
  const [first, second] = scenario.accounts
  if (first !== 'simulator') yield { ...scenario, accounts: ['simulator', second] }
  if (second !== 'simulator') yield { ...scenario, accounts: [first, 'simulator'] }
}

/** The simplest values of the members of a scenario. */
const simplestScenario: Readonly<Record<string, unknown>> = {
  ending: 'providers_recover',
  webhooks: 'off',
  capabilities: 'all',
  card: 'approve',
  credit: 0,
  isTaxed: false,
  onClock: false,
}

/** Lists of simpler steps, each of which can replace the step. */
function* simplerSteps(step: Step): Generator<readonly Step[]> {
  if (step.do === 'wait' || step.do === 'provider') return
  if (!('actions' in step)) {
    yield* simplerActions(step).map((action) => [action])
    return
  }
  const { actions } = step
  yield actions
  if (actions.length > 2)
    yield* actions.map((_, index) => [{ ...step, actions: actions.toSpliced(index, 1) }])
  for (const [index, action] of actions.entries())
    yield* simplerActions(action).map((simpler) => [
      { ...step, actions: actions.toSpliced(index, 1, simpler) },
    ])
}

/** The simplest values of the members of an action. */
const simplestAction: Readonly<Record<string, unknown>> = {
  fault: null,
  concurrently: false,
  isDuplicated: false,
  impatient: false,
  card: 'approve',
  instrument: 'payment_method',
  currency: 'eur',
  order: null,
  initiator: 'customer',
  capture: 'automatic',
  routed: false,
  trialDays: null,
  policy: 'on_payment',
  resumesInDays: null,
  outOfBand: false,
  quantity: 1,
  share: null,
  link: false,
  metered: false,
}

function simplerActions(action: Action): Action[] {
  return Object.entries(simplestAction)
    .filter(([name, value]) => name in action && action[name as keyof Action] !== value)
    .map(([name, value]) => ({ ...action, [name]: value }))
}

/**
 * The result of a route simulation. Expected approvals are based on the rates observed at each account with cards of
 * the same segment; segments with too few observations are reported, but not counted. No side effects.
 */
import {
  type AccountOrNone,
  type CostTotals,
  type MoveCell,
  observationKey,
  parseMoveKey,
  parseObservationKey,
  type Segment,
  type Tally,
} from './tally.ts'

/** The minimum number of first attempts in a segment for an approval rate. */
export const minAttempts = 50
const maxMoves = 100
const maxRates = 200
/** For a 95% confidence interval. */
const normalQuantile = 1.96

/** The expected change in the number of payments approved by the account that is tried first. */
export type Expected = { readonly change: number; readonly low: number; readonly high: number }

/** `rated`: the number of rerouted payments for which both accounts have an approval rate. */
export type Approvals = { readonly rated: number; readonly expected: Expected | null }

export type Move = {
  readonly from: AccountOrNone
  readonly to: AccountOrNone
  readonly payments: number
  readonly approvals: Approvals
}

export type Rate = {
  readonly account: string
  readonly segment: Segment
  readonly attempts: number
  readonly approved: number
  /** Payments that would move to the account, and away from it. */
  readonly gains: number
  readonly loses: number
}

export type Result = {
  readonly compared: number
  readonly moved: number
  readonly approvals: Approvals
  readonly moves: readonly Move[]
  readonly rates: readonly Rate[]
  readonly examples: Tally['examples']
  /** Missing in older rows. */
  readonly costs?: readonly CostOfCurrency[]
  /** Missing in older rows. */
  readonly settledCosts?: readonly SettledCostOfCurrency[]
}

/** The estimated costs of the payments in one currency. */
export type CostOfCurrency = CostTotals & { readonly currency: string }

/**
 * The costs of payments in one currency according to settlement reports, in minor units: where they were captured
 * (`actual`), and at the accounts that would be tried first (`simulated`, between `low` and `high`). Null if no payment is
 * covered.
 */
export type SettledCostOfCurrency = {
  readonly currency: string
  readonly payments: number
  readonly covered: number
  readonly actual: number | null
  readonly simulated: number | null
  readonly low: number | null
  readonly high: number | null
}

type Cell = MoveCell & { readonly payments: number }
type Observation = { readonly attempts: number; readonly approved: number }
type Observations = ReadonlyMap<string, Observation>

/** The part of the result that is computed from the tally alone, without settled costs. */
export function resultOf({ compared, moved, moves, seen, examples, costs = [] }: Tally): Result {
  const cells = moves.map(([key, payments]) => ({ ...parseMoveKey(key), payments }))
  const observations = new Map(seen.map(([key, attempts, approved]) => [key, { attempts, approved }]))
  const movesByAccounts = Map.groupBy(cells, ({ from, to }) => JSON.stringify([from, to]))
  return {
    compared,
    moved,
    approvals: approvalsOf(cells, observations),
    moves: [...movesByAccounts.values()]
      .map((cells) => moveOfCells(cells, observations))
      .toSorted((a, b) => b.payments - a.payments)
      .slice(0, maxMoves),
    rates: ratesOf(cells, observations),
    examples,
    costs: costsOf(costs),
  }
}

/** Currencies without any known cost are omitted: no costs were entered for them. */
function costsOf(costs: NonNullable<Tally['costs']>): readonly CostOfCurrency[] {
  return costs
    .map(([currency, totals]) => ({ currency, ...totals }))
    .filter(({ payments }) => payments > 0)
    .toSorted((a, b) => b.payments - a.payments)
}

function moveOfCells(cells: readonly Cell[], observations: Observations): Move {
  const { from, to } = cells[0] as Cell
  return { from, to, payments: totalPayments(cells), approvals: approvalsOf(cells, observations) }
}

const totalPayments = (cells: readonly Cell[]) => cells.reduce((total, { payments }) => total + payments, 0)

function approvalsOf(cells: readonly Cell[], observations: Observations): Approvals {
  const rated = cells.filter((cell) => isRated(cell, observations))
  if (rated.length === 0) return { rated: 0, expected: null }
  return { rated: totalPayments(rated), expected: expectedOf(rated, observations) }
}

/** A payment that goes to no account is never approved, so no observations are needed for it. */
function isRated({ from, to, segment }: Cell, observations: Observations): boolean {
  if (segment === null) return false
  return [from, to].every(
    (account) => account === null || hasRate(observations.get(observationKey(account, segment))),
  )
}

function hasRate(observation: Observation | undefined): boolean {
  return observation !== undefined && observation.attempts >= minAttempts
}

/**
 * The change is the sum over accounts and segments of the net gain times the rate. The rates are independent
 * observations, so their variances add up. The variance is computed with the Agresti–Coull method, because a
 * rate of 1 over fifty observations is not certain.
 */
function expectedOf(cells: readonly Cell[], observations: Observations): Expected {
  let change = 0
  let variance = 0
  for (const [key, { gains, loses }] of flowsOf(cells)) {
    const { attempts, approved } = observations.get(key) as Observation
    const netGain = gains - loses
    const smoothedRate = (approved + 2) / (attempts + 4)
    change += (netGain * approved) / attempts
    variance += (netGain ** 2 * smoothedRate * (1 - smoothedRate)) / (attempts + 4)
  }
  const margin = normalQuantile * Math.sqrt(variance)
  return {
    change: roundToTenth(change),
    low: roundToTenth(change - margin),
    high: roundToTenth(change + margin),
  }
}

const roundToTenth = (value: number) => Math.round(value * 10) / 10 + 0

type Flow = { gains: number; loses: number }

/** By account and segment: how many payments would be added, and how many removed. */
function flowsOf(cells: readonly Cell[]): ReadonlyMap<string, Readonly<Flow>> {
  const flows = new Map<string, Flow>()
  const flowOf = (account: string, segment: Segment | null) => {
    const key = observationKey(account, segment)
    const flow = flows.get(key) ?? { gains: 0, loses: 0 }
    flows.set(key, flow)
    return flow
  }
  for (const { from, to, segment, payments } of cells) {
    if (from !== null) flowOf(from, segment).loses += payments
    if (to !== null) flowOf(to, segment).gains += payments
  }
  return flows
}

/** For every account and segment that payments would move to or from, even with few observations. */
function ratesOf(cells: readonly Cell[], observations: Observations): Rate[] {
  const flows = flowsOf(cells.filter(({ segment }) => segment !== null))
  return [...flows]
    .toSorted(([, a], [, b]) => b.gains + b.loses - (a.gains + a.loses))
    .slice(0, maxRates)
    .map(([key, flow]) => {
      const { account, segment } = parseObservationKey(key)
      const { attempts, approved } = observations.get(key) ?? { attempts: 0, approved: 0 }
      return { account, segment: segment as Segment, attempts, approved, ...flow }
    })
}

/**
 * What a dry run has found. What is said of approvals rests on what was observed at each account with cards of the
 * same segment; where there are too few observations it says so, and counts nothing. Pure.
 */
import { type MoveCell, moveOf, type Place, type Segment, seenKey, seenOf, type Tally } from './tally.ts'

/** So many first attempts with cards of a segment make a rate. */
export const leastAttempts = 50
const mostMoves = 100
const mostRates = 200
/** Nineteen times out of twenty. */
const z = 1.96

/** In payments: how many more would be approved at the account that is asked first. */
export type Expected = { readonly change: number; readonly low: number; readonly high: number }

/** Of `payments` that go another way, `rated` are those for which both accounts have a rate. */
export type Approvals = { readonly rated: number; readonly expected: Expected | null }

export type Move = {
  readonly from: Place
  readonly to: Place
  readonly payments: number
  readonly approvals: Approvals
}

export type Rate = {
  readonly account: string
  readonly segment: Segment
  readonly attempts: number
  readonly approved: number
  /** Payments that would come, and those that would go. */
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
}

type Cell = MoveCell & { readonly payments: number }
type Seen = { readonly attempts: number; readonly approved: number }
type Observations = ReadonlyMap<string, Seen>

export function resultOf({ compared, moved, moves, seen, examples }: Tally): Result {
  const cells = moves.map(([key, payments]) => ({ ...moveOf(key), payments }))
  const observations = new Map(seen.map(([key, attempts, approved]) => [key, { attempts, approved }]))
  const ways = Map.groupBy(cells, ({ from, to }) => JSON.stringify([from, to]))
  return {
    compared,
    moved,
    approvals: approvalsOf(cells, observations),
    moves: [...ways.values()]
      .map((way) => moveAlong(way, observations))
      .toSorted((a, b) => b.payments - a.payments)
      .slice(0, mostMoves),
    rates: ratesOf(cells, observations),
    examples,
  }
}

function moveAlong(way: readonly Cell[], observations: Observations): Move {
  const { from, to } = way[0] as Cell
  return { from, to, payments: sum(way), approvals: approvalsOf(way, observations) }
}

const sum = (cells: readonly Cell[]) => cells.reduce((total, { payments }) => total + payments, 0)

function approvalsOf(cells: readonly Cell[], observations: Observations): Approvals {
  const rated = cells.filter((cell) => isRated(cell, observations))
  if (rated.length === 0) return { rated: 0, expected: null }
  return { rated: sum(rated), expected: expectedOf(rated, observations) }
}

/** Nobody approves nothing: that is known without looking. */
function isRated({ from, to, segment }: Cell, observations: Observations): boolean {
  if (segment === null) return false
  return [from, to].every((place) => place === null || isEnough(observations.get(seenKey(place, segment))))
}

function isEnough(seen: Seen | undefined): boolean {
  return seen !== undefined && seen.attempts >= leastAttempts
}

/**
 * The change is a sum over accounts and segments of what each gains, times its rate. Those rates were observed
 * apart from each other, so their variances add up. The variance is that of Agresti and Coull: a rate of one that
 * was seen fifty times is not certain.
 */
function expectedOf(cells: readonly Cell[], observations: Observations): Expected {
  let change = 0
  let variance = 0
  for (const [key, { gains, loses }] of flowsOf(cells)) {
    const { attempts, approved } = observations.get(key) as Seen
    const gained = gains - loses
    const cautious = (approved + 2) / (attempts + 4)
    change += (gained * approved) / attempts
    variance += (gained ** 2 * cautious * (1 - cautious)) / (attempts + 4)
  }
  const margin = z * Math.sqrt(variance)
  return { change: tenths(change), low: tenths(change - margin), high: tenths(change + margin) }
}

const tenths = (value: number) => Math.round(value * 10) / 10 + 0

type Flow = { gains: number; loses: number }

/** By account and segment: how many payments it would be asked for in addition, and how many no more. */
function flowsOf(cells: readonly Cell[]): ReadonlyMap<string, Readonly<Flow>> {
  const flows = new Map<string, Flow>()
  const flowAt = (place: string, segment: Segment | null) => {
    const key = seenKey(place, segment)
    const known = flows.get(key) ?? { gains: 0, loses: 0 }
    flows.set(key, known)
    return known
  }
  for (const { from, to, segment, payments } of cells) {
    if (from !== null) flowAt(from, segment).loses += payments
    if (to !== null) flowAt(to, segment).gains += payments
  }
  return flows
}

/** Of every account and segment that payments would come to or go from, however little is known of it. */
function ratesOf(cells: readonly Cell[], observations: Observations): Rate[] {
  const flows = flowsOf(cells.filter(({ segment }) => segment !== null))
  return [...flows]
    .toSorted(([, a], [, b]) => b.gains + b.loses - (a.gains + a.loses))
    .slice(0, mostRates)
    .map(([key, flow]) => {
      const { account, segment } = seenOf(key)
      const { attempts, approved } = observations.get(key) ?? { attempts: 0, approved: 0 }
      return { account, segment: segment as Segment, attempts, approved, ...flow }
    })
}

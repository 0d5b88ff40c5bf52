/**
 * Compares what payments cost now and what they would cost at other accounts, from the fees in settlement reports. A
 * payment is covered if its cost is known at both accounts; only covered payments are in the amounts. No side effects.
 */
import { mulDiv, toSafeNumber } from '../../../kernel/money.ts'
import { type FeeSums, type PaymentSums, predictionScale, predictTotal } from './fee-sums.ts'
import type { CardDetails, CostSegment, SettledCost, StatedDetails } from './settled-cost.ts'

/** For a 95% interval. With at least 200 lines, the normal distribution is close enough. */
const normalQuantile = 1.96

/**
 * Payments of one segment that the account `from` captured, and for which the account `to` would be tried
 * first.
 */
export type ComparedPayments = {
  readonly from: string
  readonly to: string | null
  /** Null for segments that were not counted separately. Their cost is unknown. */
  readonly segment: CostSegment | null
  readonly currency: string
  readonly payments: number
  readonly amount: bigint
}

/** In minor units. Amounts are null if no payment is covered. */
export type CostComparison = {
  readonly currency: string
  readonly payments: number
  readonly covered: number
  readonly actual: number | null
  readonly simulated: number | null
  /** The interval of `simulated`. */
  readonly low: number | null
  readonly high: number | null
}

export type CostModel = {
  readonly costs: readonly SettledCost[]
  readonly stated: readonly StatedDetails[]
}

export function compareCosts(
  model: CostModel,
  compared: readonly ComparedPayments[],
): readonly CostComparison[] {
  const findSums = sumsFinder(model)
  return [...Map.groupBy(compared, ({ currency }) => currency)]
    .map(([currency, cells]) => compareCurrency(currency, cells, findSums))
    .toSorted((a, b) => b.payments - a.payments || (a.currency < b.currency ? -1 : 1))
}

type FindSums = (account: string | null, segment: CostSegment) => FeeSums | null
type CoveredCell = {
  readonly actual: FeeSums
  readonly simulated: FeeSums
  readonly isMoved: boolean
  readonly sums: PaymentSums
}

function compareCurrency(
  currency: string,
  cells: readonly ComparedPayments[],
  findSums: FindSums,
): CostComparison {
  const payments = cells.reduce((total, cell) => total + cell.payments, 0)
  const covered = cells.flatMap((cell) => coveredCell(cell, findSums) ?? [])
  if (covered.length === 0)
    return { currency, payments, covered: 0, actual: null, simulated: null, low: null, high: null }
  const actual = totalOf(covered.map((cell) => [cell.actual, cell.sums]))
  const simulated = totalOf(covered.map((cell) => [cell.simulated, cell.sums]))
  const center = Number(simulated.scaledCost) / Number(predictionScale)
  // Payments that stay at their account cost the same as now, so only the costs of the other payments are
  // uncertain.
  const moved = totalOf(covered.filter(({ isMoved }) => isMoved).map((cell) => [cell.simulated, cell.sums]))
  const margin = normalQuantile * Math.sqrt(moved.variance)
  const simulatedAmount = toAmount(simulated.scaledCost)
  return {
    currency,
    payments,
    covered: covered.reduce((total, { sums }) => total + Number(sums.payments), 0),
    actual: toAmount(actual.scaledCost),
    simulated: simulatedAmount,
    // Rounding must not move the estimate out of its interval.
    low: Math.min(simulatedAmount, Math.round(center - margin)),
    high: Math.max(simulatedAmount, Math.round(center + margin)),
  }
}

const toAmount = (scaledCost: bigint) => toSafeNumber(mulDiv(scaledCost, 1n, predictionScale))

function coveredCell(cell: ComparedPayments, findSums: FindSums): CoveredCell | null {
  const { from, to, segment } = cell
  if (segment === null) return null
  const sums = { payments: BigInt(cell.payments), amounts: cell.amount }
  const [actual, simulated] = [findSums(from, segment), findSums(to, segment)]
  if (actual === null || simulated === null) return null
  const isKnown = predictTotal(actual, sums) !== null && predictTotal(simulated, sums) !== null
  return isKnown ? { actual, simulated, isMoved: from !== to, sums } : null
}

/**
 * Payments with the same fit are predicted together, because the error of the fit is the same for all of them. The errors of
 * different fits are independent, so their variances add up.
 */
function totalOf(cells: readonly (readonly [FeeSums, PaymentSums])[]) {
  const totals = new Map<FeeSums, PaymentSums>()
  for (const [fit, { payments, amounts }] of cells) {
    const before = totals.get(fit) ?? { payments: 0n, amounts: 0n }
    totals.set(fit, { payments: before.payments + payments, amounts: before.amounts + amounts })
  }
  let [scaledCost, variance] = [0n, 0]
  for (const [fit, sums] of totals) {
    const prediction = predictTotal(fit, sums)
    scaledCost += prediction?.scaledCost ?? 0n
    variance += prediction?.variance ?? 0
  }
  return { scaledCost, variance }
}

/**
 * Finds the sums of a segment at an account. A detail that the reports of the account never state is ignored there; a
 * detail that they state must be known.
 */
function sumsFinder({ costs, stated }: CostModel): FindSums {
  const sumsByKey = new Map(costs.map((cost) => [keyOf(cost.account, cost, cost.card), cost.sums]))
  const statedByAccount = new Map(stated.map((details) => [details.account, details]))
  return (account, segment) => {
    if (account === null) return null
    const details = statedByAccount.get(account)
    const card = details === undefined ? null : comparableCard(details, segment.card)
    return card === null ? null : (sumsByKey.get(keyOf(account, segment, card)) ?? null)
  }
}

const detailNames = ['brand', 'country', 'funding'] as const

function comparableCard(stated: StatedDetails, card: CardDetails): CardDetails | null {
  if (detailNames.some((name) => stated[name] && card[name] === null)) return null
  return {
    brand: stated.brand ? card.brand : null,
    country: stated.country ? card.country : null,
    funding: stated.funding ? card.funding : null,
  }
}

function keyOf(account: string, { currency, amountBand }: CostSegment, card: CardDetails): string {
  return JSON.stringify([account, currency, amountBand, card.brand, card.country, card.funding])
}

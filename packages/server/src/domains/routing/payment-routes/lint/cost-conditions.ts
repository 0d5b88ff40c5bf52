/**
 * Expresses a condition on an estimated cost as a condition on the operands from which the cost is calculated, so that
 * the search never considers a payment with an impossible cost. Equivalent to `estimatedCost`. No side effects.
 */
import type { CostSegment } from '../../../../providers/contract.ts'
import { leavesOf } from '../engine/conditions.ts'
import { accountOfCostField, basisPointsOfWhole } from '../engine/estimated-cost.ts'
import type { Condition, Leaf, Rule } from '../payment-route.ts'
import type { LintAccount } from './lint-context.ts'

const noPayment: Condition = { any: [] }
const anyPayment: Condition = { all: [] }
const always = (isTrue: boolean) => (isTrue ? anyPayment : noPayment)
const equals = (field: string, value: string): Condition => ({ field, op: 'eq', value })

/**
 * Conditions on accounts without costs are not converted: their cost may have any value once costs are entered.
 */
export function expandCosts(accounts: readonly LintAccount[]): (leaf: Leaf) => Condition {
  const expanded = new WeakMap<Leaf, Condition>()
  const expand = (leaf: Leaf): Condition => {
    const id = accountOfCostField(leaf.field)
    const costs = accounts.find((account) => account.id === id)?.costs ?? []
    return id === null || costs.length === 0 ? leaf : costCondition(leaf, costs)
  }
  return (leaf) => {
    const condition = expanded.get(leaf) ?? expand(leaf)
    expanded.set(leaf, condition)
    return condition
  }
}

/** Whether a rule has a condition on an estimated cost, so that findings about it change with the costs. */
export function usesCosts({ when }: Rule): boolean {
  return leavesOf(when).some(({ field }) => accountOfCostField(field) !== null)
}

export function costCondition(leaf: Leaf, costs: readonly CostSegment[]): Condition {
  return {
    any: [
      { all: [equals('purpose', 'verification'), unknownCost(leaf)] },
      { all: [equals('purpose', 'payment'), firstMatch(leaf, costs)] },
    ],
  }
}

function unknownCost({ op, value }: Leaf): Condition {
  return always(op === 'exists' && value === false)
}

function firstMatch(leaf: Leaf, [segment, ...others]: readonly CostSegment[]): Condition {
  if (segment === undefined) return unknownCost(leaf)
  const match = matchOf(segment)
  return {
    any: [{ all: [match, feeCondition(leaf, segment)] }, { all: [{ not: match }, firstMatch(leaf, others)] }],
  }
}

function matchOf(segment: CostSegment): Condition {
  const isIn = (field: string, value: readonly string[] | null): Condition[] =>
    value === null ? [] : [{ field, op: 'in', value }]
  return {
    all: [
      ...isIn('currency', segment.currency === null ? null : [segment.currency]),
      ...isIn('card.brand', segment.card_brands),
      ...isIn('card.country', segment.card_countries),
      ...isIn('card.funding', segment.card_fundings),
    ],
  }
}

function feeCondition({ op, value }: Leaf, segment: CostSegment): Condition {
  const atLeast = (cost: number) => amountFor(segment, BigInt(cost))
  const between = (min: number, max: number): Condition => ({
    all: [atLeast(min), { not: atLeast(max + 1) }],
  })
  const number = value as number
  const numbers = value as readonly number[]
  const [min = 0, max = 0] = Array.isArray(value) ? numbers : []
  const anyOf = (): Condition => ({ any: numbers.map((cost) => between(cost, cost)) })
  const conditions: { readonly [op: string]: () => Condition } = {
    exists: () => always(value === true),
    eq: () => between(number, number),
    ne: () => ({ not: between(number, number) }),
    in: anyOf,
    not_in: () => ({ not: anyOf() }),
    lt: () => ({ not: atLeast(number) }),
    lte: () => ({ not: atLeast(number + 1) }),
    gt: () => atLeast(number + 1),
    gte: () => atLeast(number),
    between: () => between(min, max),
  }
  return conditions[op]?.() ?? noPayment
}

/** The amounts whose cost is at least this high: the cost never decreases with the amount. */
function amountFor({ basis_points, fixed_amount }: CostSegment, cost: bigint): Condition {
  const share = cost - BigInt(fixed_amount)
  if (share <= 0n) return anyPayment
  const rate = BigInt(basis_points)
  if (rate === 0n) return noPayment
  // The share is rounded half up, so half a unit less is enough. The quotient is rounded up.
  const amount = (basisPointsOfWhole * share - basisPointsOfWhole / 2n + rate - 1n) / rate
  return { field: 'amount', op: 'gte', value: Number(amount) }
}

/**
 * The estimated cost of a payment at an account, from the fees that the operator entered for the account. It is not
 * what the provider bills. It depends only on the payment and the fees, so every process has the same result. No side
 * effects.
 */
import { mulDiv } from '../../../../kernel/money.ts'
import type { CostSegment } from '../../../../providers/contract.ts'
import type { Operands } from './operands.ts'

/**
 * In minor units of the currency of the payment; null if it is unknown: no segment matches, or the payment verifies a
 * card. The percentage is rounded half up, and then the fixed amount is added.
 */
export function estimatedCost(costs: readonly CostSegment[], operands: Operands): bigint | null {
  if (operands.purpose === 'verification') return null
  const segment = costs.find((entry) => isMatch(entry, operands))
  if (segment === undefined) return null
  const share = mulDiv(BigInt(operands.amount as number), BigInt(segment.basis_points), basisPointsOfWhole)
  return share + BigInt(segment.fixed_amount)
}

export const basisPointsOfWhole = 10_000n

/** If the country or funding type of the card is unknown, segments that require it do not match. */
function isMatch(segment: CostSegment, operands: Operands): boolean {
  return (
    (segment.currency === null || segment.currency === operands.currency) &&
    isIn(segment.card_brands, operands['card.brand']) &&
    isIn(segment.card_countries, operands['card.country']) &&
    isIn(segment.card_fundings, operands['card.funding'])
  )
}

function isIn(list: readonly string[] | null, value: string | number | undefined): boolean {
  return list === null || list.includes(value as string)
}

type AccountCosts = { readonly id: string; readonly costs: readonly CostSegment[] }

const costPrefix = 'estimated_cost.'

/** The account of an operand such as `estimated_cost.provider_account_…`; null for other operands. */
export function accountOfCostField(field: string): string | null {
  return field.startsWith(costPrefix) ? field.slice(costPrefix.length) : null
}

/** Adds the estimated costs that the rules of a route use. An unknown cost is a missing operand. */
export function withEstimatedCosts(
  operands: Operands,
  accountIds: readonly string[],
  accounts: readonly AccountCosts[],
): Operands {
  if (accountIds.length === 0) return operands
  const costs = accountIds.map(
    (id) => [costPrefix + id, costAt(id, operands, accounts) ?? undefined] as const,
  )
  return { ...operands, ...Object.fromEntries(costs) }
}

/** By account: the estimated cost, null if it is unknown. */
export type CostsByAccount = ReadonlyMap<string, number | null>

/** The cheapest account first, unknown costs last. Accounts with the same cost keep their order. */
export function cheapestFirst(
  ids: readonly string[],
  operands: Operands,
  accounts: readonly AccountCosts[],
): { readonly order: readonly string[]; readonly costs: CostsByAccount } {
  const costs = new Map(ids.map((id) => [id, costAt(id, operands, accounts)]))
  const rankOf = (id: string) => costs.get(id) ?? Number.POSITIVE_INFINITY
  const order = ids.toSorted((a, b) => (rankOf(a) === rankOf(b) ? 0 : rankOf(a) - rankOf(b)))
  return { order, costs }
}

function costAt(id: string, operands: Operands, accounts: readonly AccountCosts[]): number | null {
  const cost = estimatedCost(accounts.find((account) => account.id === id)?.costs ?? [], operands)
  // The result is at most twice the highest amount, so a JavaScript number represents it exactly.
  return cost === null ? null : Number(cost)
}

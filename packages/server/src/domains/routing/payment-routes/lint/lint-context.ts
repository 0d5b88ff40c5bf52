/** The input of the lint checks, prepared once per route. */
import type { Capabilities, CostSegment } from '../../../../providers/contract.ts'
import type { Operands } from '../engine/operands.ts'
import type { Definition } from '../payment-route.ts'
import type { Formula, Goal, SearchSpace } from './search.ts'

export type LintAccount = {
  readonly id: string
  readonly displayName: string
  readonly provider: string
  readonly cardData: 'pan' | 'token'
  readonly capabilities: Capabilities
  readonly costs: readonly CostSegment[]
  /** Why a card vault cannot put the card number into calls to the provider; null or absent: it can. */
  readonly vaultObstacle?: string | null
  readonly check: { readonly at: Date; readonly faults: readonly unknown[] } | null
}

export type LintEnvironment = {
  /** The active accounts of the workspace. */
  readonly accounts: readonly LintAccount[]
  readonly mode: 'live' | 'test'
  readonly now: Date
  /** Whether the card numbers of the workspace are in an external vault. If undefined, this is not checked. */
  readonly usesExternalVault?: boolean
  /** Whether the operator has imported a BIN table. If undefined, this is not checked. */
  readonly hasCardFacts?: boolean
  /** Whether pages choose the account before the payer enters a card. If undefined, this is not checked. */
  readonly isCardUnknownAtChoice?: boolean
  /** Attempts of each account by day, the last 24 hours first. If undefined, this is not checked. */
  readonly attemptsByDay?: ReadonlyMap<string, readonly number[]>
}

export type LintContext = {
  readonly definition: Definition
  readonly space: SearchSpace
  /** The payments that each account of the route can process, by account id. */
  readonly supported: ReadonlyMap<string, Formula>
  /** The payments within the limits, for which the route must have an account; null without limits. */
  readonly withinLimits: Formula | null
  /** For every rule, and finally the default: the conditions under which a payment reaches it. */
  readonly reach: readonly (readonly Goal[])[]
  /** For every rule, and finally the default: whether any payment can reach it. */
  readonly isReachable: readonly boolean[]
}

/** Describes a payment in a finding. */
export function describePayment(example: Operands): string {
  const parts = Object.entries(example).map(([field, value]) =>
    value === undefined ? `no ${field}` : `${field} ${value}`,
  )
  return parts.length === 0 ? 'any payment' : parts.join(', ')
}

/**
 * Chooses the account to try next. The same payment, revision and accounts give the same result in any
 * process. The trace records the decision, including skipped accounts and the reasons.
 */

import type { Id } from '../../../../kernel/id.ts'
import { type AdaptedOrder, type AdaptiveTrace, adaptOrder, type Snapshot } from '../adaptive/adaptive.ts'
import type { Value } from '../payment-route.ts'
import type { CompiledRoute, DefaultAction, EvaluatedRule } from './compile.ts'
import { matched, type Values, valuesOf } from './conditions.ts'
import { type Candidate, type Instrument, ineligibleReasons, requirementsOf } from './eligibility.ts'
import { type CostsByAccount, cheapestFirst, withEstimatedCosts } from './estimated-cost.ts'
import type { Operands } from './operands.ts'
import { type Draw, type DrawKeys, drawAccount } from './split-draw.ts'

export type DecisionInput = {
  readonly operands: Operands
  readonly keys: DrawKeys
  readonly instrument: Instrument
  /** Accounts that were already tried. */
  readonly tried: readonly string[]
  /** Accounts with an open circuit breaker. They are tried last, but never excluded. */
  readonly openCircuits: ReadonlySet<string>
  /** The figures for an adaptive route. Without them the fixed order applies. */
  readonly snapshot?: Snapshot | null
}

export type EvaluatedCandidate = {
  readonly provider_account_id: string
  readonly eligible: boolean
  readonly reasons: readonly string[]
  /** Set if the accounts are ordered by estimated cost; null if it is unknown. */
  readonly estimated_cost?: number | null
}

/** Why this account was chosen. Stored with the attempt. */
export type Trace = {
  readonly payment_route_id: Id<'payment_route'> | null
  readonly revision: number | null
  readonly operands: { readonly [field: string]: Value | null }
  readonly rules: readonly EvaluatedRule[]
  readonly draw: Draw | null
  readonly candidates: readonly EvaluatedCandidate[]
  readonly order: readonly string[]
  /** Set for an adaptive priority. */
  readonly adaptive?: AdaptiveTrace
  readonly cause: string
}

export type Decision = {
  /** Null if no account is eligible, or a rule declines. */
  readonly chosen: string | null
  /** A rule declines the payment. */
  readonly declined: boolean
  readonly trace: Trace
}

export function decide(
  route: CompiledRoute,
  input: DecisionInput,
  candidates: readonly Candidate[],
): Decision {
  const values = valuesFor(route, input, candidates)
  const { rules, matchedRule, action } = firstMatch(route, values)
  const targets = targetOrderOf(action, input, candidates)
  const evaluated = evaluateCandidates(targets, input, candidates)
  const fixed = orderEligible(evaluated, input.openCircuits)
  const adapted = adaptedOrderOf(action, matchedRule, { input, fixed })
  const order = adapted === null ? fixed : [...new Set([...adapted.order, ...fixed])]
  const declined = action.type === 'decline'
  const chosen = order[0] ?? null
  const cause = causeOf(matchedRule, { declined, chosen, tried: input.tried.length, action, adapted })
  const operands = shownOperands(route.fields, values)
  const { id, revision } = route
  const trace = { payment_route_id: id, revision, operands, rules, draw: targets.draw }
  const adaptive = adapted === null ? {} : { adaptive: adapted.trace }
  return { chosen, declined, trace: { ...trace, candidates: evaluated, order, ...adaptive, cause } }
}

/** The estimated costs are operands that depend on the accounts, and not only on the payment. */
function valuesFor(
  { fields, costAccounts }: CompiledRoute,
  { operands }: DecisionInput,
  candidates: readonly Candidate[],
): Values {
  return valuesOf(fields, withEstimatedCosts(operands, costAccounts, candidates))
}

type FixedOrder = { readonly input: DecisionInput; readonly fixed: readonly string[] }

/**
 * Null unless the action is adaptive. Accounts with an open circuit breaker are last, whatever their approval
 * rate.
 */
function adaptedOrderOf(
  action: DefaultAction,
  matchedRule: string | null,
  { input, fixed }: FixedOrder,
): AdaptedOrder | null {
  if (action.type !== 'priority' || action.adaptive?.enabled !== true) return null
  // The result of a card verification hardly predicts payments, so verifications use the fixed order.
  if (input.operands.purpose === 'verification') return null
  return adaptOrder({
    settings: action.adaptive,
    ruleName: matchedRule ?? '',
    snapshot: input.snapshot ?? null,
    operands: input.operands,
    paymentId: input.keys.payment,
    targets: action.targets,
    eligible: fixed.filter((id) => !input.openCircuits.has(id)),
    isFirstAttempt: input.tried.length === 0,
  })
}

/** Returns the account that would be tried, without a trace: for simulations of a million payments. */
export function chooseAccountId(
  route: CompiledRoute,
  input: DecisionInput,
  candidates: readonly Candidate[],
): string | null {
  const values = valuesFor(route, input, candidates)
  const action = route.rules.find((rule) => rule.test(values) === matched)?.then ?? route.defaultAction
  const { order } = targetOrderOf(action, input, candidates)
  const required = requirementsOf(input.operands, input.instrument)
  const canProcess = (id: string) => {
    const candidate = candidates.find((entry) => entry.id === id)
    return (
      candidate !== undefined &&
      !input.tried.includes(id) &&
      ineligibleReasons(candidate, required).length === 0
    )
  }
  return order.find((id) => !input.openCircuits.has(id) && canProcess(id)) ?? order.find(canProcess) ?? null
}

type Match = {
  readonly rules: readonly EvaluatedRule[]
  /** The name of the matching rule; null: none matched. */
  readonly matchedRule: string | null
  readonly action: DefaultAction
}

/** The first matching rule wins. */
function firstMatch({ rules, defaultAction }: CompiledRoute, values: Values): Match {
  const evaluated: EvaluatedRule[] = []
  for (const rule of rules) {
    const result = rule.test(values)
    evaluated.push(result === matched ? rule.matchedTrace : (rule.failedTraces[result] as EvaluatedRule))
    if (result === matched) return { rules: evaluated, matchedRule: rule.name, action: rule.then }
  }
  return { rules: evaluated, matchedRule: null, action: defaultAction }
}

type TargetOrder = {
  readonly order: readonly string[]
  readonly draw: Draw | null
  /** Set if the order depends on the costs. */
  readonly costs?: CostsByAccount
}

function targetOrderOf(
  action: DefaultAction,
  { keys, operands }: DecisionInput,
  candidates: readonly Candidate[],
): TargetOrder {
  switch (action.type) {
    case 'decline':
      return { order: [], draw: null }
    case 'in_order':
      return { order: candidates.map(({ id }) => id), draw: null }
    case 'priority':
      return action.order_by === 'estimated_cost'
        ? { ...cheapestFirst(action.targets, operands, candidates), draw: null }
        : { order: action.targets, draw: null }
    case 'split':
      return drawAccount(action, keys)
  }
}

const degradedReason = 'degraded, so it is tried last'

function evaluateCandidates(
  { order, costs }: TargetOrder,
  input: DecisionInput,
  candidates: readonly Candidate[],
): EvaluatedCandidate[] {
  const required = requirementsOf(input.operands, input.instrument)
  return order.map((id) => {
    const candidate = candidates.find((entry) => entry.id === id)
    const obstacles = candidate === undefined ? ['not active'] : ineligibleReasons(candidate, required)
    if (input.tried.includes(id)) obstacles.unshift('already tried')
    const eligible = obstacles.length === 0
    const reasons = eligible && input.openCircuits.has(id) ? [degradedReason] : obstacles
    const cost = costs === undefined ? {} : { estimated_cost: costs.get(id) ?? null }
    return { provider_account_id: id, eligible, reasons, ...cost }
  })
}

function orderEligible(
  candidates: readonly EvaluatedCandidate[],
  openCircuits: ReadonlySet<string>,
): string[] {
  const eligible = candidates.filter((entry) => entry.eligible).map((entry) => entry.provider_account_id)
  return openCircuits.size === 0
    ? eligible
    : [...eligible.filter((id) => !openCircuits.has(id)), ...eligible.filter((id) => openCircuits.has(id))]
}

function shownOperands(fields: readonly string[], values: Values): Trace['operands'] {
  return Object.fromEntries(fields.map((field, index) => [field, values[index] ?? null]))
}

type ChoiceFacts = {
  readonly declined: boolean
  readonly chosen: string | null
  readonly tried: number
  readonly action: DefaultAction
  readonly adapted: AdaptedOrder | null
}

function causeOf(
  matchedRule: string | null,
  { declined, chosen, tried, action, adapted }: ChoiceFacts,
): string {
  const decidedBy = matchedRule === null ? sourceOf(action) : `rule "${matchedRule}"`
  const byCost = action.type === 'priority' && action.order_by === 'estimated_cost'
  const ordered = byCost ? `${decidedBy}; lowest estimated cost first` : decidedBy
  const source = adapted === null ? ordered : `${ordered}; adaptive: ${adapted.explanation}`
  if (declined) return `declined by ${source}`
  if (chosen === null) return `${source}; no account can process the payment`
  return tried === 0 ? source : `${source}; failover from the previous account`
}

function sourceOf({ type }: DefaultAction): string {
  return type === 'in_order' ? 'default order' : 'default action of the route'
}

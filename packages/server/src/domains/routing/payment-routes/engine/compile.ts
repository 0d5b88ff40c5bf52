/** Compiles a revision: conditions become functions, and the trace entries of each rule are prepared. */
import type { Id } from '../../../../kernel/id.ts'
import type { Action, Definition, Failover, Rule } from '../payment-route.ts'
import { type ConditionTest, compileCondition, leavesOf } from './conditions.ts'
import { accountOfCostField } from './estimated-cost.ts'

/** The trace entry of an evaluated rule. */
export type EvaluatedRule = {
  readonly rule: number
  readonly matched: boolean
  /** The location of the failed condition. */
  readonly failed_at: string | null
}

export type CompiledRule = {
  readonly name: string
  readonly then: Action
  readonly test: ConditionTest
  readonly matchedTrace: EvaluatedRule
  /** By the index of the failed location. */
  readonly failedTraces: readonly EvaluatedRule[]
}

/** Without a default route, all accounts are tried in the order of their positions. */
export type DefaultAction = Action | { readonly type: 'in_order' }

export type CompiledRoute = {
  readonly id: Id<'payment_route'> | null
  readonly revision: number | null
  readonly rules: readonly CompiledRule[]
  readonly defaultAction: DefaultAction
  readonly failover: Failover
  /** The operands its rules use: a trace shows only these. */
  readonly fields: readonly string[]
  /** The accounts whose estimated cost its rules use. */
  readonly costAccounts: readonly string[]
}

export const defaultFailover: Failover = {
  max_attempts: 2,
  budget_ms: 20_000,
  on: ['technical', 'configuration', 'soft'],
}

/** The route of a workspace without a default route. */
export const defaultOrderRoute: CompiledRoute = {
  id: null,
  revision: null,
  rules: [],
  defaultAction: { type: 'in_order' },
  failover: defaultFailover,
  fields: [],
  costAccounts: [],
}

type RouteRevision = { readonly id: Id<'payment_route'> | null; readonly revision: number | null }

export function compileRoute({ id, revision }: RouteRevision, definition: Definition): CompiledRoute {
  const { rules, default: defaultAction, failover } = definition
  const usedFields = rules.flatMap(({ when }) => leavesOf(when).map(({ field }) => field))
  const fields = [...new Set(usedFields)]
  const fieldIndexes = new Map(fields.map((field, index) => [field, index]))
  const compiled = rules.map((rule, index) => compileRule(rule, index, fieldIndexes))
  const costAccounts = fields.flatMap((field) => accountOfCostField(field) ?? [])
  return { id, revision, rules: compiled, defaultAction, failover, fields, costAccounts }
}

function compileRule(
  { name, when, then }: Rule,
  rule: number,
  fieldIndexes: ReadonlyMap<string, number>,
): CompiledRule {
  const failedTraces: EvaluatedRule[] = []
  const test = compileCondition(when, {
    addLocation(pointer) {
      failedTraces.push({ rule, matched: false, failed_at: `/rules/${rule}${pointer}` })
      return failedTraces.length - 1
    },
    fieldIndex: (field) => fieldIndexes.get(field) as number,
  })
  return { name, then, test, matchedTrace: { rule, matched: true, failed_at: null }, failedTraces }
}

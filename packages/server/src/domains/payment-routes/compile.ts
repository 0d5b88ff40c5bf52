/** A revision as it is asked: conditions are functions, and what a trace says of each rule is made beforehand. */
import type { Id } from '../../kernel/id.ts'
import { compileCondition, leavesOf, type Test } from './conditions.ts'
import type { Action, Definition, Failover, Rule } from './payment-route.ts'

/** What a trace says of a rule that was looked at. */
export type RuleSeen = {
  readonly rule: number
  readonly matched: boolean
  /** The place of the condition that failed. */
  readonly failed_at: string | null
}

export type CompiledRule = {
  readonly name: string
  readonly then: Action
  readonly test: Test
  readonly met: RuleSeen
  /** By the number of the place that failed. */
  readonly failed: readonly RuleSeen[]
}

/** Where there is no default route, all accounts are asked in the order of their positions. */
export type Otherwise = Action | { readonly type: 'in_order' }

export type CompiledRoute = {
  readonly id: Id<'payment_route'> | null
  readonly revision: number | null
  readonly rules: readonly CompiledRule[]
  readonly otherwise: Otherwise
  readonly failover: Failover
  /** The operands that it asks for: a trace shows these and no others. */
  readonly fields: readonly string[]
}

export const usualFailover: Failover = {
  max_attempts: 2,
  budget_ms: 20_000,
  on: ['technical', 'configuration', 'soft'],
}

/** What decides in a workspace that has no default route. */
export const inOrder: CompiledRoute = {
  id: null,
  revision: null,
  rules: [],
  otherwise: { type: 'in_order' },
  failover: usualFailover,
  fields: [],
}

type Named = { readonly id: Id<'payment_route'> | null; readonly revision: number | null }

export function compileRoute({ id, revision }: Named, definition: Definition): CompiledRoute {
  const { rules, default: otherwise, failover } = definition
  const all = rules.flatMap(({ when }) => leavesOf(when).map(({ field }) => field))
  const fields = [...new Set(all)]
  const numbers = new Map(fields.map((field, at) => [field, at]))
  const compiled = rules.map((rule, at) => compileRule(rule, at, numbers))
  return { id, revision, rules: compiled, otherwise, failover, fields }
}

function compileRule(
  { name, when, then }: Rule,
  rule: number,
  fields: ReadonlyMap<string, number>,
): CompiledRule {
  const failed: RuleSeen[] = []
  const test = compileCondition(when, {
    place(pointer) {
      failed.push({ rule, matched: false, failed_at: `/rules/${rule}${pointer}` })
      return failed.length - 1
    },
    field: (field) => fields.get(field) as number,
  })
  return { name, then, test, met: { rule, matched: true, failed_at: null }, failed }
}

/** A route as it is edited: what a revision holds, and the steps by which it changes. Pure. */
import type { PaymentRouteRevision } from '@switchyard/sdk'

type Members = 'name' | 'rules' | 'default' | 'failover' | 'limits' | 'examples'
export type Definition = Pick<PaymentRouteRevision, Members>
export type Rule = Definition['rules'][number]
export type Action = Definition['default']
export type Example = Definition['examples'][number]
export type Share = { readonly provider_account_id: string; readonly weight: number }

export type Value = string | number | boolean
export type Leaf = {
  readonly field: string
  readonly op: string
  readonly value: Value | readonly (string | number)[]
}
export type Condition =
  | { readonly all: readonly Condition[] }
  | { readonly any: readonly Condition[] }
  | { readonly not: Condition }
  | Leaf

export function definitionOf(from: Definition): Definition {
  const { name, rules, default: otherwise, failover, limits, examples } = from
  return { name, rules, default: otherwise, failover, limits, examples }
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

export function ruleOf(name: string, condition: Condition, action: Action): Rule {
  // biome-ignore lint/suspicious/noThenProperty: it is the API's word, and nobody awaits a rule.
  return withCondition({ name, when: {}, then: action }, condition)
}

export function conditionOf({ when }: Rule): Condition {
  return when as unknown as Condition
}

export function withCondition(rule: Rule, condition: Condition): Rule {
  return { ...rule, when: condition as unknown as Rule['when'] }
}

/** The rule at a place one step up or down; nothing changes at the ends. */
export function moveRule(rules: readonly Rule[], at: number, step: 1 | -1): Rule[] {
  const to = at + step
  if (to < 0 || to >= rules.length) return [...rules]
  const moved = [...rules]
  const [rule] = moved.splice(at, 1)
  moved.splice(to, 0, rule as Rule)
  return moved
}

export function replaceAt<Entry>(list: readonly Entry[], at: number, entry: Entry): Entry[] {
  return list.map((one, index) => (index === at ? entry : one))
}

export function without<Entry>(list: readonly Entry[], at: number): Entry[] {
  return list.filter((_, index) => index !== at)
}

/** A name that no rule has. */
export function newName(rules: readonly { readonly name: string }[], base: string): string {
  const taken = new Set(rules.map(({ name }) => name))
  let number = rules.length + 1
  while (taken.has(`${base} ${number}`)) number += 1
  return `${base} ${number}`
}

export function idsOf({ targets = [] }: Action): string[] {
  return targets.map((target) => (typeof target === 'string' ? target : target.provider_account_id))
}

export function sharesOf({ targets = [] }: Action): Share[] {
  return targets.map((target) =>
    typeof target === 'string' ? { provider_account_id: target, weight: 0 } : target,
  )
}

/** Another kind of action over the same accounts. */
export function asType(action: Action, type: Action['type']): Action {
  if (action.type === type) return action
  if (type === 'decline') return { type }
  const ids = idsOf(action)
  if (type === 'priority') return { type, targets: ids }
  return { type, targets: evenShares(ids), key: 'payment' }
}

/** Whole percents that total 100, the first ones get what is left over. */
export function evenShares(ids: readonly string[]): Share[] {
  const each = Math.floor(100 / Math.max(1, ids.length))
  const rest = 100 - each * ids.length
  return ids.map((id, at) => ({ provider_account_id: id, weight: each + (at < rest ? 1 : 0) }))
}

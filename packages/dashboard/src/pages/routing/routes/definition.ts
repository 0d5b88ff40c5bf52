/** The definition of a route in the editor, and the functions that change it. No side effects. */
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
  const { name, rules, default: defaultAction, failover, limits, examples } = from
  return { name, rules, default: defaultAction, failover, limits, examples }
}

export function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

export function ruleOf(name: string, condition: Condition, action: Action): Rule {
  // biome-ignore lint/suspicious/noThenProperty: the API has this member, and a rule is never awaited.
  return withCondition({ name, when: {}, then: action }, condition)
}

export function conditionOf({ when }: Rule): Condition {
  return when as unknown as Condition
}

export function withCondition(rule: Rule, condition: Condition): Rule {
  return { ...rule, when: condition as unknown as Rule['when'] }
}

/** Moves a rule up or down by one. The first rule cannot move up, the last one cannot move down. */
export function moveRule(rules: readonly Rule[], position: number, step: 1 | -1): Rule[] {
  const to = position + step
  if (to < 0 || to >= rules.length) return [...rules]
  const moved = [...rules]
  const [rule] = moved.splice(position, 1)
  moved.splice(to, 0, rule as Rule)
  return moved
}

export function replaceAt<Entry>(list: readonly Entry[], position: number, entry: Entry): Entry[] {
  return list.map((one, index) => (index === position ? entry : one))
}

export function without<Entry>(list: readonly Entry[], position: number): Entry[] {
  return list.filter((_, index) => index !== position)
}

/** A unique name for a new rule. */
export function uniqueName(rules: readonly { readonly name: string }[], base: string): string {
  const usedNames = new Set(rules.map(({ name }) => name))
  let number = rules.length + 1
  while (usedNames.has(`${base} ${number}`)) number += 1
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

/** Converts an action to another type, with the same accounts. */
export function convertAction(action: Action, type: Action['type']): Action {
  if (action.type === type) return action
  if (type === 'decline') return { type }
  const ids = idsOf(action)
  if (type === 'priority') return { type, targets: ids }
  return { type, targets: evenShares(ids), key: 'payment' }
}

/** Whole percentages that add up to 100; the first ones get the remainder. */
export function evenShares(ids: readonly string[]): Share[] {
  const each = Math.floor(100 / Math.max(1, ids.length))
  const rest = 100 - each * ids.length
  return ids.map((id, position) => ({ provider_account_id: id, weight: each + (position < rest ? 1 : 0) }))
}

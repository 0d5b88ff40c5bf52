/**
 * Finds incomplete parts of a route while the user edits, before the lint check of the server runs. No side effects.
 */
import type { PaymentRouteFinding } from '@switchyard/sdk'
import { groupOf } from './condition-group.ts'
import {
  type Action,
  type Condition,
  conditionOf,
  type Definition,
  idsOf,
  type Leaf,
  sharesOf,
} from './definition.ts'
import { costAccountOf } from './operands.ts'

export type Finding = Pick<PaymentRouteFinding, 'severity' | 'pointer' | 'detail'>

export function incompleteParts(definition: Definition): readonly Finding[] {
  const { rules, default: defaultAction, name } = definition
  return [
    ...(name.trim() === '' ? [errorAt('/name', 'The route needs a name.')] : []),
    ...rules.flatMap((rule, position) => [
      ...(rule.name.trim() === '' ? [errorAt(`/rules/${position}/name`, 'The rule needs a name.')] : []),
      ...(rules.findIndex(({ name: other }) => other === rule.name) < position
        ? [errorAt(`/rules/${position}/name`, 'Another rule has this name.')]
        : []),
      ...incompleteInCondition(conditionOf(rule), `/rules/${position}/when`),
      ...incompleteInAction(rule.then, `/rules/${position}/then`),
    ]),
    ...incompleteInAction(defaultAction, '/default'),
  ]
}

function errorAt(pointer: string, detail: string): Finding {
  return { severity: 'error', pointer, detail }
}

function incompleteInCondition(condition: Condition, pointer: string): Finding[] {
  if ('field' in condition && costAccountOf(condition.field) === '')
    return [errorAt(pointer, 'Choose the account whose cost is compared.')]
  if ('field' in condition)
    return hasValue(condition) ? [] : [errorAt(pointer, 'Enter a value to compare with.')]
  const { parts, pointerOf } = groupOf(condition, pointer)
  return parts.flatMap((part, position) => incompleteInCondition(part, pointerOf(position)))
}

function hasValue({ value }: Leaf): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== ''
}

function incompleteInAction(action: Action, pointer: string): Finding[] {
  if (action.type === 'decline') return []
  if (idsOf(action).length === 0) return [errorAt(`${pointer}/targets`, 'Choose at least one account.')]
  if (action.type === 'priority') return []
  const total = sharesOf(action).reduce((sum, { weight }) => sum + weight, 0)
  return total === 100 ? [] : [errorAt(`${pointer}/targets`, `The weights must add up to 100, not ${total}.`)]
}

/** "Rule 3: ", "Default: ". */
export function locationOf(pointer: string): string {
  const rule = /^\/rules\/(\d+)/.exec(pointer)
  if (rule !== null) return `Rule ${Number(rule[1]) + 1}: `
  const [, member = ''] = pointer.split('/')
  return member === '' ? '' : `${member.charAt(0).toUpperCase()}${member.slice(1)}: `
}

/** What is not a whole route yet while somebody types: it is told at once, and the server is asked afterwards. Pure. */
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

export type Finding = Pick<PaymentRouteFinding, 'severity' | 'pointer' | 'detail'>

export function unfinishedIn(definition: Definition): readonly Finding[] {
  const { rules, default: otherwise, name } = definition
  return [
    ...(name.trim() === '' ? [missing('/name', 'The route needs a name.')] : []),
    ...rules.flatMap((rule, at) => [
      ...(rule.name.trim() === '' ? [missing(`/rules/${at}/name`, 'The rule needs a name.')] : []),
      ...(rules.findIndex(({ name: other }) => other === rule.name) < at
        ? [missing(`/rules/${at}/name`, 'Another rule has this name.')]
        : []),
      ...inCondition(conditionOf(rule), `/rules/${at}/when`),
      ...inAction(rule.then, `/rules/${at}/then`),
    ]),
    ...inAction(otherwise, '/default'),
  ]
}

function missing(pointer: string, detail: string): Finding {
  return { severity: 'error', pointer, detail }
}

function inCondition(condition: Condition, pointer: string): Finding[] {
  if ('field' in condition)
    return isWhole(condition) ? [] : [missing(pointer, 'Enter a value to compare with.')]
  const { parts, pointerOf } = groupOf(condition, pointer)
  return parts.flatMap((part, at) => inCondition(part, pointerOf(at)))
}

function isWhole({ value }: Leaf): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== ''
}

function inAction(action: Action, pointer: string): Finding[] {
  if (action.type === 'decline') return []
  if (idsOf(action).length === 0) return [missing(`${pointer}/targets`, 'Choose at least one account.')]
  if (action.type === 'priority') return []
  const total = sharesOf(action).reduce((sum, { weight }) => sum + weight, 0)
  return total === 100 ? [] : [missing(`${pointer}/targets`, `The weights must add up to 100, not ${total}.`)]
}

/** "Rule 3: ", "Default: ". */
export function whereOf(pointer: string): string {
  const rule = /^\/rules\/(\d+)/.exec(pointer)
  if (rule !== null) return `Rule ${Number(rule[1]) + 1}: `
  const [, member = ''] = pointer.split('/')
  return member === '' ? '' : `${member.charAt(0).toUpperCase()}${member.slice(1)}: `
}

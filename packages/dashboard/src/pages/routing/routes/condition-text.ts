/** Conditions and actions as parts of a sentence. No side effects. */
import { moneyText } from '../../../format/money.ts'
import type { NameOf } from '../../accounts.ts'
import { type Action, type Condition, idsOf, type Leaf, sharesOf } from './definition.ts'
import { costAccountOf, operandOf, operatorLabels } from './operands.ts'

/** A chip is a condition or an account; the other parts are connecting words. */
export type Part = {
  readonly text: string
  readonly chip?: 'condition' | 'account'
  readonly pointer?: string
}

const word = (text: string): Part => ({ text })

export function whenParts(condition: Condition, pointer: string, nameOf: NameOf): readonly Part[] {
  const parts = partsOf(condition, { pointer, nameOf, currency: null })
  return parts.length === 0 ? [word('Always')] : [word('When'), ...parts]
}

type TextContext = { readonly pointer: string; readonly nameOf: NameOf; readonly currency: string | null }

function partsOf(condition: Condition, context: TextContext): Part[] {
  if ('all' in condition)
    return joinParts(
      condition.all,
      'and',
      { ...context, currency: currencyIn(condition.all) ?? context.currency },
      'all',
    )
  if ('any' in condition) return joinParts(condition.any, 'or', context, 'any')
  if ('not' in condition)
    return [word('not'), ...bracketed(condition.not, { ...context, pointer: `${context.pointer}/not` })]
  return [{ text: leafText(condition, context), chip: 'condition', pointer: context.pointer }]
}

function joinParts(
  conditions: readonly Condition[],
  conjunction: string,
  context: TextContext,
  member: string,
): Part[] {
  return conditions.flatMap((condition, position) => {
    const inner = bracketed(condition, { ...context, pointer: `${context.pointer}/${member}/${position}` })
    return position === 0 ? inner : [word(conjunction), ...inner]
  })
}

function bracketed(condition: Condition, context: TextContext): Part[] {
  const parts = partsOf(condition, context)
  return parts.length > 1 && !('not' in condition) ? [word('('), ...parts, word(')')] : parts
}

/** An amount is formatted as money if the conditions next to it name one currency. */
function currencyIn(conditions: readonly Condition[]): string | null {
  const leaf = conditions.find(
    (one): one is Leaf => 'field' in one && one.field === 'currency' && one.op === 'eq',
  )
  return leaf === undefined ? null : String(leaf.value)
}

function leafText({ field, op, value }: Leaf, context: TextContext): string {
  const account = costAccountOf(field)
  const operand = operandOf(field).text
  const text = account === null ? operand : `${operand} at ${context.nameOf(account)}`
  if (op === 'exists') return `${text} ${value === false ? 'is not set' : 'is set'}`
  return `${text} ${operatorLabels[op] ?? op} ${valueText(field, value, context)}`
}

/** Longer lists are shown as a count. */
const maxListed = 4

const isMoney = (field: string) => field === 'amount' || costAccountOf(field) !== null

function valueText(field: string, value: Leaf['value'], context: TextContext): string {
  if (!Array.isArray(value)) return singleValueText(field, value as string | number, context)
  if (value.length > maxListed) return `${value.length} values`
  return value.map((one) => singleValueText(field, one, context)).join(isMoney(field) ? ' and ' : ', ')
}

function singleValueText(
  field: string,
  value: string | number | boolean,
  { currency, nameOf }: TextContext,
): string {
  if (isMoney(field))
    return currency === null ? Number(value).toLocaleString('en') : moneyText(Number(value), currency)
  if (field === 'currency') return String(value).toUpperCase()
  return field === 'method.last_provider_account_id' ? nameOf(String(value)) : String(value)
}

export function thenParts(action: Action, nameOf: NameOf): readonly Part[] {
  const chip = (text: string): Part => ({ text, chip: 'account' })
  if (action.type === 'decline') return [word('decline the payment')]
  if (action.type === 'split') {
    const fallback = (action.fallback ?? []).flatMap((id) => [word('then'), chip(nameOf(id))])
    const shares = sharesOf(action).map(({ provider_account_id: id, weight }) =>
      chip(`${nameOf(id)} ${weight}%`),
    )
    return [word('send to'), ...shares, ...fallback]
  }
  const ids = idsOf(action)
  if (ids.length === 0) return [word('send to no account yet')]
  if (action.order_by === 'estimated_cost')
    return [word('send to the cheapest of'), ...ids.map((id) => chip(nameOf(id)))]
  return [
    word('send to'),
    ...ids.flatMap((id, position) => [...(position === 0 ? [] : [word('then')]), chip(nameOf(id))]),
  ]
}

export function actionText(action: Action, nameOf: NameOf): string {
  return thenParts(action, nameOf)
    .map(({ text }) => text)
    .join(' ')
    .replace(/^send to /, '')
}

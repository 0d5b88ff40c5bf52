/** Conditions and actions in words, as parts of a sentence. Pure. */
import { moneyText } from '../../../format/money.ts'
import type { NameOf } from '../../accounts.ts'
import { type Action, type Condition, idsOf, type Leaf, sharesOf } from './definition.ts'
import { operandOf, operatorWords } from './operands.ts'

/** A chip is a condition or an account; the rest is what stands between them. */
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

type Spot = { readonly pointer: string; readonly nameOf: NameOf; readonly currency: string | null }

function partsOf(condition: Condition, spot: Spot): Part[] {
  if ('all' in condition)
    return joined(
      condition.all,
      'and',
      { ...spot, currency: currencyIn(condition.all) ?? spot.currency },
      'all',
    )
  if ('any' in condition) return joined(condition.any, 'or', spot, 'any')
  if ('not' in condition)
    return [word('not'), ...bracketed(condition.not, { ...spot, pointer: `${spot.pointer}/not` })]
  return [{ text: leafText(condition, spot), chip: 'condition', pointer: spot.pointer }]
}

function joined(conditions: readonly Condition[], by: string, spot: Spot, member: string): Part[] {
  return conditions.flatMap((condition, at) => {
    const inner = bracketed(condition, { ...spot, pointer: `${spot.pointer}/${member}/${at}` })
    return at === 0 ? inner : [word(by), ...inner]
  })
}

function bracketed(condition: Condition, spot: Spot): Part[] {
  const parts = partsOf(condition, spot)
  return parts.length > 1 && !('not' in condition) ? [word('('), ...parts, word(')')] : parts
}

/** An amount reads as money where the conditions beside it name one currency. */
function currencyIn(conditions: readonly Condition[]): string | null {
  const leaf = conditions.find(
    (one): one is Leaf => 'field' in one && one.field === 'currency' && one.op === 'eq',
  )
  return leaf === undefined ? null : String(leaf.value)
}

function leafText({ field, op, value }: Leaf, spot: Spot): string {
  const { text } = operandOf(field)
  if (op === 'exists') return `${text} ${value === false ? 'is not known' : 'is known'}`
  return `${text} ${operatorWords[op] ?? op} ${valueText(field, value, spot)}`
}

/** More than these are counted instead of named. */
const mostNamed = 4

function valueText(field: string, value: Leaf['value'], spot: Spot): string {
  if (!Array.isArray(value)) return oneText(field, value as string | number, spot)
  if (value.length > mostNamed) return String(value.length)
  return value.map((one) => oneText(field, one, spot)).join(field === 'amount' ? ' and ' : ', ')
}

function oneText(field: string, value: string | number | boolean, { currency, nameOf }: Spot): string {
  if (field === 'amount')
    return currency === null ? Number(value).toLocaleString('en') : moneyText(Number(value), currency)
  if (field === 'currency') return String(value).toUpperCase()
  return field === 'method.last_provider_account_id' ? nameOf(String(value)) : String(value)
}

export function thenParts(action: Action, nameOf: NameOf): readonly Part[] {
  const chip = (text: string): Part => ({ text, chip: 'account' })
  if (action.type === 'decline') return [word('decline it')]
  if (action.type === 'split') {
    const fallback = (action.fallback ?? []).flatMap((id) => [word('then'), chip(nameOf(id))])
    const shares = sharesOf(action).map(({ provider_account_id: id, weight }) =>
      chip(`${nameOf(id)} ${weight}%`),
    )
    return [word('send to'), ...shares, ...fallback]
  }
  const ids = idsOf(action)
  if (ids.length === 0) return [word('send to nobody yet')]
  return [
    word('send to'),
    ...ids.flatMap((id, at) => [...(at === 0 ? [] : [word('then')]), chip(nameOf(id))]),
  ]
}

export function actionText(action: Action, nameOf: NameOf): string {
  return thenParts(action, nameOf)
    .map(({ text }) => text)
    .join(' ')
    .replace(/^send to /, '')
}

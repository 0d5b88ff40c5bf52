/**
 * Conditions as functions, made once per revision. A test tells which condition failed and not only that one did,
 * because whoever asks why a payment went elsewhere wants to see the place.
 */
import type { Operands, Value } from './operands.ts'
import type { Condition, Leaf } from './payment-route.ts'

/** What a payment has, by the numbers of the fields: a place in a list is found faster than a name. */
export type Values = readonly (Value | undefined)[]
/** `matched`, or the number of the place that failed. */
export type Test = (values: Values) => number
export const matched = -1

/** Gives numbers to places in the rule and to fields. */
export type Numbering = { place(pointer: string): number; field(name: string): number }

export function compileCondition(condition: Condition, numbers: Numbering, pointer = '/when'): Test {
  if ('all' in condition) {
    return allOf(condition.all.map((inner, at) => compileCondition(inner, numbers, `${pointer}/all/${at}`)))
  }
  const here = numbers.place(pointer)
  if ('any' in condition) {
    const tests = condition.any.map((inner, at) => compileCondition(inner, numbers, `${pointer}/any/${at}`))
    return (values) => (tests.some((test) => test(values) === matched) ? matched : here)
  }
  if ('not' in condition) {
    const inner = compileCondition(condition.not, numbers, `${pointer}/not`)
    return (values) => (inner(values) === matched ? here : matched)
  }
  const field = numbers.field(condition.field)
  const holds = compileLeaf(condition)
  return (values) => (holds(values[field]) ? matched : here)
}

function allOf(tests: readonly Test[]): Test {
  return (values) => {
    for (const test of tests) {
      const result = test(values)
      if (result !== matched) return result
    }
    return matched
  }
}

export function valuesOf(fields: readonly string[], operands: Operands): Values {
  return fields.map((field) => operands[field])
}

export type Holds = (value: Value | undefined) => boolean

/** As in SQL: what is not there is neither equal nor unequal to anything. */
export function compileLeaf(leaf: Leaf): Holds {
  if (leaf.op === 'exists') return (value) => (value !== undefined) === leaf.value
  const holds = compare(leaf)
  return (value) => value !== undefined && holds(value)
}

function compare({ op, value: wanted }: Leaf): (value: Value) => boolean {
  const bound = wanted as Value
  const values: readonly Value[] = Array.isArray(wanted) ? wanted : []
  const [least, most] = values as readonly [Value, Value]
  const listed = new Set(values)
  const comparisons: { readonly [Op in Exclude<Leaf['op'], 'exists'>]: (value: Value) => boolean } = {
    eq: (value) => value === bound,
    ne: (value) => value !== bound,
    in: (value) => listed.has(value),
    not_in: (value) => !listed.has(value),
    lt: (value) => value < bound,
    lte: (value) => value <= bound,
    gt: (value) => value > bound,
    gte: (value) => value >= bound,
    between: (value) => value >= least && value <= most,
    starts_with: (value) => (value as string).startsWith(bound as string),
  }
  return comparisons[op as Exclude<Leaf['op'], 'exists'>]
}

/** Every condition on one operand, wherever it stands. */
export function leavesOf(condition: Condition): readonly Leaf[] {
  if ('all' in condition) return condition.all.flatMap(leavesOf)
  if ('any' in condition) return condition.any.flatMap(leavesOf)
  if ('not' in condition) return leavesOf(condition.not)
  return [condition]
}

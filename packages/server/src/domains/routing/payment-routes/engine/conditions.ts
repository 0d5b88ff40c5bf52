/**
 * Compiles conditions to functions, once per revision. A test returns which condition failed, so that the
 * trace can show why a payment was routed elsewhere.
 */

import type { Condition, Leaf, Value } from '../payment-route.ts'
import type { Operands } from './operands.ts'

/** The operands of a payment by field index: array access is faster than lookup by name. */
export type Values = readonly (Value | undefined)[]
/** Returns `matched`, or the index of the failed location. */
export type ConditionTest = (values: Values) => number
export const matched = -1

/** Assigns indexes to locations in the rule and to fields. */
export type Numbering = { addLocation(pointer: string): number; fieldIndex(name: string): number }

export function compileCondition(
  condition: Condition,
  numbering: Numbering,
  pointer = '/when',
): ConditionTest {
  if ('all' in condition) {
    return allOf(
      condition.all.map((inner, index) => compileCondition(inner, numbering, `${pointer}/all/${index}`)),
    )
  }
  const location = numbering.addLocation(pointer)
  if ('any' in condition) {
    const tests = condition.any.map((inner, index) =>
      compileCondition(inner, numbering, `${pointer}/any/${index}`),
    )
    return (values) => (tests.some((test) => test(values) === matched) ? matched : location)
  }
  if ('not' in condition) {
    const inner = compileCondition(condition.not, numbering, `${pointer}/not`)
    return (values) => (inner(values) === matched ? location : matched)
  }
  const index = numbering.fieldIndex(condition.field)
  const test = compileLeaf(condition)
  return (values) => (test(values[index]) ? matched : location)
}

function allOf(tests: readonly ConditionTest[]): ConditionTest {
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

export type ValueTest = (value: Value | undefined) => boolean

/** As in SQL: a missing value is neither equal nor unequal to anything. */
export function compileLeaf(leaf: Leaf): ValueTest {
  if (leaf.op === 'exists') return (value) => (value !== undefined) === leaf.value
  const test = compare(leaf)
  return (value) => value !== undefined && test(value)
}

function compare({ op, value: expected }: Leaf): (value: Value) => boolean {
  const bound = expected as Value
  const values: readonly Value[] = Array.isArray(expected) ? expected : []
  const [lower, upper] = values as readonly [Value, Value]
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
    between: (value) => value >= lower && value <= upper,
    starts_with: (value) => (value as string).startsWith(bound as string),
  }
  return comparisons[op as Exclude<Leaf['op'], 'exists'>]
}

/** Every leaf condition of the tree. */
export function leavesOf(condition: Condition): readonly Leaf[] {
  if ('all' in condition) return condition.all.flatMap(leavesOf)
  if ('any' in condition) return condition.any.flatMap(leavesOf)
  if ('not' in condition) return leavesOf(condition.not)
  return [condition]
}

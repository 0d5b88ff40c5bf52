/**
 * Evaluates a condition for a payment, to mark each condition in a trace. The server decides which rule matches; this
 * uses the same semantics: a missing value is neither equal nor unequal to anything. No side effects.
 */
import type { Condition, Leaf } from './definition.ts'

export type Operands = { readonly [field: string]: string | number | null | undefined }

export function matches(condition: Condition, operands: Operands): boolean {
  if ('all' in condition) return condition.all.every((one) => matches(one, operands))
  if ('any' in condition) return condition.any.some((one) => matches(one, operands))
  if ('not' in condition) return !matches(condition.not, operands)
  return leafMatches(condition, operands[condition.field] ?? undefined)
}

function leafMatches({ op, value: expected }: Leaf, value: string | number | undefined): boolean {
  if (op === 'exists') return (value !== undefined) === expected
  if (value === undefined) return false
  const listed = Array.isArray(expected) ? (expected as readonly (string | number)[]) : []
  const compare = comparisons[op]
  return compare?.(value, expected as string | number, listed) ?? false
}

type Compare = (
  value: string | number,
  expected: string | number,
  listed: readonly (string | number)[],
) => boolean

const comparisons: { readonly [op: string]: Compare } = {
  eq: (value, expected) => value === expected,
  ne: (value, expected) => value !== expected,
  in: (value, _, listed) => listed.includes(value),
  not_in: (value, _, listed) => !listed.includes(value),
  lt: (value, expected) => value < expected,
  lte: (value, expected) => value <= expected,
  gt: (value, expected) => value > expected,
  gte: (value, expected) => value >= expected,
  between: (value, _, [min = 0, max = 0]) => value >= min && value <= max,
  starts_with: (value, expected) => String(value).startsWith(String(expected)),
}

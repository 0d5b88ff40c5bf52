/**
 * Whether a payment meets a condition, so that a trace can tick each one. Which rule decides is the server's to say;
 * this only marks the single conditions of it, by the same rules: what a payment does not have is neither equal nor
 * unequal to anything. Pure.
 */
import type { Condition, Leaf } from './definition.ts'

export type Operands = { readonly [field: string]: string | number | null | undefined }

export function holds(condition: Condition, operands: Operands): boolean {
  if ('all' in condition) return condition.all.every((one) => holds(one, operands))
  if ('any' in condition) return condition.any.some((one) => holds(one, operands))
  if ('not' in condition) return !holds(condition.not, operands)
  return leafHolds(condition, operands[condition.field] ?? undefined)
}

function leafHolds({ op, value: wanted }: Leaf, value: string | number | undefined): boolean {
  if (op === 'exists') return (value !== undefined) === wanted
  if (value === undefined) return false
  const listed = Array.isArray(wanted) ? (wanted as readonly (string | number)[]) : []
  const compare = comparisons[op]
  return compare?.(value, wanted as string | number, listed) ?? false
}

type Compare = (
  value: string | number,
  wanted: string | number,
  listed: readonly (string | number)[],
) => boolean

const comparisons: { readonly [op: string]: Compare } = {
  eq: (value, wanted) => value === wanted,
  ne: (value, wanted) => value !== wanted,
  in: (value, _, listed) => listed.includes(value),
  not_in: (value, _, listed) => !listed.includes(value),
  lt: (value, wanted) => value < wanted,
  lte: (value, wanted) => value <= wanted,
  gt: (value, wanted) => value > wanted,
  gte: (value, wanted) => value >= wanted,
  between: (value, _, [least = 0, most = 0]) => value >= least && value <= most,
  starts_with: (value, wanted) => String(value).startsWith(String(wanted)),
}

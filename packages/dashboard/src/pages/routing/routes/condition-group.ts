/** A condition as a group: how its parts are combined, and the JSON pointer of each part. No side effects. */
import type { Condition } from './definition.ts'

export type Join = 'all' | 'any' | 'none'
export type Group = {
  readonly join: Join
  readonly parts: readonly Condition[]
  readonly pointerOf: (position: number) => string
}

/** A single condition counts as a group of one. */
export function groupOf(condition: Condition, pointer: string): Group {
  if ('all' in condition)
    return { join: 'all', parts: condition.all, pointerOf: (position) => `${pointer}/all/${position}` }
  if ('any' in condition)
    return { join: 'any', parts: condition.any, pointerOf: (position) => `${pointer}/any/${position}` }
  if (!('not' in condition)) return { join: 'all', parts: [condition], pointerOf: () => pointer }
  const { not } = condition
  return 'any' in not
    ? { join: 'none', parts: not.any, pointerOf: (position) => `${pointer}/not/any/${position}` }
    : { join: 'none', parts: [not], pointerOf: () => `${pointer}/not` }
}

export function conditionOfGroup(join: Join, parts: readonly Condition[]): Condition {
  if (join === 'all') return { all: parts }
  // `any` and `not` need at least one part, so an empty group becomes `all`.
  if (parts.length === 0) return { all: [] }
  if (join === 'any') return { any: parts }
  const [only] = parts
  return parts.length === 1 && only !== undefined ? { not: only } : { not: { any: parts } }
}

export function isGroup(condition: Condition): boolean {
  return !('field' in condition)
}

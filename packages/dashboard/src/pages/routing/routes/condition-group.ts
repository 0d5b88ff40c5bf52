/** A condition as a group of others, with how they combine and where each of them stands. Pure. */
import type { Condition } from './definition.ts'

export type Join = 'all' | 'any' | 'none'
export type Group = {
  readonly join: Join
  readonly parts: readonly Condition[]
  readonly pointerOf: (at: number) => string
}

/** A single condition counts as a group of one. */
export function groupOf(condition: Condition, pointer: string): Group {
  if ('all' in condition)
    return { join: 'all', parts: condition.all, pointerOf: (at) => `${pointer}/all/${at}` }
  if ('any' in condition)
    return { join: 'any', parts: condition.any, pointerOf: (at) => `${pointer}/any/${at}` }
  if (!('not' in condition)) return { join: 'all', parts: [condition], pointerOf: () => pointer }
  const { not } = condition
  return 'any' in not
    ? { join: 'none', parts: not.any, pointerOf: (at) => `${pointer}/not/any/${at}` }
    : { join: 'none', parts: [not], pointerOf: () => `${pointer}/not` }
}

export function conditionOfGroup(join: Join, parts: readonly Condition[]): Condition {
  if (join === 'all') return { all: parts }
  // An alternative without parts is no condition, so the first one is kept until there is another.
  if (parts.length === 0) return { all: [] }
  if (join === 'any') return { any: parts }
  const [only] = parts
  return parts.length === 1 && only !== undefined ? { not: only } : { not: { any: parts } }
}

export function isGroup(condition: Condition): boolean {
  return !('field' in condition)
}

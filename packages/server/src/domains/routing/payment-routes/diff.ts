/** Differences between two revisions, by JSON pointer and in words. Rules are identified by name. */
import type { Definition, Rule } from './payment-route.ts'

export type Difference = {
  /** The location in the newer revision; for removals, in the older one. */
  readonly pointer: string
  readonly change: 'added' | 'removed' | 'changed' | 'moved'
  readonly from: unknown
  readonly to: unknown
  readonly words: string
}

export function differencesOf(before: Definition, after: Definition): readonly Difference[] {
  const { rules: _, examples: __, ...members } = after
  return [
    ...Object.keys(members).flatMap((name) => {
      const member = name as Exclude<keyof Definition, 'rules' | 'examples'>
      return compare(before[member], after[member], `/${name}`, (pointer) => `${pathText(pointer)} changed`)
    }),
    ...listDifferences(before.rules, after.rules, { path: '/rules', noun: 'rule' }),
    ...orderDifferences(before.rules, after.rules),
    ...listDifferences(before.examples, after.examples, { path: '/examples', noun: 'example' }),
  ]
}

type Named = { readonly name: string }
type ListName = { readonly path: string; readonly noun: string }

function listDifferences(before: readonly Named[], after: readonly Named[], { path, noun }: ListName) {
  const indexByName = (list: readonly Named[], name: string) => list.findIndex((entry) => entry.name === name)
  const removed = before.flatMap((entry, index): Difference[] => {
    if (indexByName(after, entry.name) !== -1) return []
    const words = `${noun} "${entry.name}" was removed`
    return [{ pointer: `${path}/${index}`, change: 'removed', from: entry, to: null, words }]
  })
  const others = after.flatMap((entry, index): Difference[] => {
    const previousEntry = before[indexByName(before, entry.name)]
    const pointer = `${path}/${index}`
    if (previousEntry === undefined) {
      return [{ pointer, change: 'added', from: null, to: entry, words: `${noun} "${entry.name}" was added` }]
    }
    return compare(previousEntry, entry, pointer, (pointerOfChange) => {
      return `${noun} "${entry.name}": ${pathText(pointerOfChange.slice(pointer.length))} changed`
    })
  })
  return [...removed, ...others]
}

/** Rules in both revisions whose position changed, as the smallest set of moves. */
function orderDifferences(before: readonly Rule[], after: readonly Rule[]): Difference[] {
  const positionBefore = new Map(before.map(({ name }, index) => [name, index]))
  const shared = after.flatMap(({ name }, index) => {
    const from = positionBefore.get(name)
    return from === undefined ? [] : [{ name, from, to: index }]
  })
  const unmoved = longestIncreasing(shared.map(({ from }) => from))
  return shared
    .filter(({ from }) => !unmoved.has(from))
    .map(({ name, from, to }) => ({
      pointer: `/rules/${to}`,
      change: 'moved',
      from,
      to,
      words: `rule "${name}" moved from position ${from + 1} to ${to + 1}`,
    }))
}

/** The longest increasing subsequence: those rules did not move. */
function longestIncreasing(positions: readonly number[]): ReadonlySet<number> {
  const best: { length: number; previous: number }[] = []
  for (const [index, position] of positions.entries()) {
    const entry = { length: 1, previous: -1 }
    for (let earlier = 0; earlier < index; earlier += 1) {
      const length = (best[earlier]?.length ?? 0) + 1
      if ((positions[earlier] as number) < position && length > entry.length) {
        entry.length = length
        entry.previous = earlier
      }
    }
    best.push(entry)
  }
  const lengths = best.map(({ length }) => length)
  const subsequence = new Set<number>()
  for (let index = lengths.indexOf(Math.max(...lengths)); index >= 0; index = best[index]?.previous ?? -1) {
    subsequence.add(positions[index] as number)
  }
  return subsequence
}

/** Compares recursively and reports each differing location once. */
function compare(
  before: unknown,
  after: unknown,
  pointer: string,
  words: (pointer: string) => string,
): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (isObject(before) && isObject(after) && haveSameMembers(before, after)) {
    return Object.keys(after).flatMap((name) =>
      compare(before[name], after[name], `${pointer}/${name}`, words),
    )
  }
  return [{ pointer, change: 'changed', from: before ?? null, to: after ?? null, words: words(pointer) }]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function haveSameMembers(first: object, second: object): boolean {
  return Object.keys(first).toSorted().join() === Object.keys(second).toSorted().join()
}

function pathText(pointer: string): string {
  return pointer.split('/').filter(Boolean).join(' ').replaceAll('_', ' ')
}

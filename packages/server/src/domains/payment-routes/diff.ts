/** What differs between two revisions, by JSON pointer and in words. Rules are known by their names. */
import type { Definition, Rule } from './payment-route.ts'

export type Difference = {
  /** The place in the newer one; of what was removed, in the older. */
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
      return compare(before[member], after[member], `/${name}`, (pointer) => `${pathWords(pointer)} changed`)
    }),
    ...listDifferences(before.rules, after.rules, { path: '/rules', noun: 'rule' }),
    ...orderDifferences(before.rules, after.rules),
    ...listDifferences(before.examples, after.examples, { path: '/examples', noun: 'example' }),
  ]
}

type Named = { readonly name: string }
type Listed = { readonly path: string; readonly noun: string }

function listDifferences(before: readonly Named[], after: readonly Named[], { path, noun }: Listed) {
  const placeOf = (list: readonly Named[], name: string) => list.findIndex((one) => one.name === name)
  const removed = before.flatMap((one, at): Difference[] => {
    if (placeOf(after, one.name) !== -1) return []
    const words = `${noun} "${one.name}" was removed`
    return [{ pointer: `${path}/${at}`, change: 'removed', from: one, to: null, words }]
  })
  const others = after.flatMap((one, at): Difference[] => {
    const earlier = before[placeOf(before, one.name)]
    const pointer = `${path}/${at}`
    if (earlier === undefined) {
      return [{ pointer, change: 'added', from: null, to: one, words: `${noun} "${one.name}" was added` }]
    }
    return compare(earlier, one, pointer, (place) => {
      return `${noun} "${one.name}": ${pathWords(place.slice(pointer.length))} changed`
    })
  })
  return [...removed, ...others]
}

/** Of those that both have: which do not come in the same order. The fewest that explain it. */
function orderDifferences(before: readonly Rule[], after: readonly Rule[]): Difference[] {
  const placeBefore = new Map(before.map(({ name }, at) => [name, at]))
  const shared = after.flatMap(({ name }, at) => {
    const from = placeBefore.get(name)
    return from === undefined ? [] : [{ name, from, to: at }]
  })
  const staying = longestRise(shared.map(({ from }) => from))
  return shared
    .filter(({ from }) => !staying.has(from))
    .map(({ name, from, to }) => ({
      pointer: `/rules/${to}`,
      change: 'moved',
      from,
      to,
      words: `rule "${name}" moved from place ${from + 1} to ${to + 1}`,
    }))
}

/** The longest part that rises: those are the ones that did not move. */
function longestRise(places: readonly number[]): ReadonlySet<number> {
  const best: { length: number; previous: number }[] = []
  for (const [at, place] of places.entries()) {
    const entry = { length: 1, previous: -1 }
    for (let earlier = 0; earlier < at; earlier += 1) {
      const length = (best[earlier]?.length ?? 0) + 1
      if ((places[earlier] as number) < place && length > entry.length) {
        entry.length = length
        entry.previous = earlier
      }
    }
    best.push(entry)
  }
  const lengths = best.map(({ length }) => length)
  const rise = new Set<number>()
  for (let at = lengths.indexOf(Math.max(...lengths)); at >= 0; at = best[at]?.previous ?? -1) {
    rise.add(places[at] as number)
  }
  return rise
}

/** Goes down to where the two differ, and tells each place once. */
function compare(
  before: unknown,
  after: unknown,
  pointer: string,
  words: (pointer: string) => string,
): Difference[] {
  if (JSON.stringify(before) === JSON.stringify(after)) return []
  if (isObject(before) && isObject(after) && sameMembers(before, after)) {
    return Object.keys(after).flatMap((name) =>
      compare(before[name], after[name], `${pointer}/${name}`, words),
    )
  }
  return [{ pointer, change: 'changed', from: before ?? null, to: after ?? null, words: words(pointer) }]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sameMembers(one: object, other: object): boolean {
  return Object.keys(one).toSorted().join() === Object.keys(other).toSorted().join()
}

function pathWords(pointer: string): string {
  return pointer.split('/').filter(Boolean).join(' ').replaceAll('_', ' ')
}

/** Lists the differences between two route definitions, by JSON pointer. No side effects. */

export type Change = {
  readonly pointer: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly from: unknown
  readonly to: unknown
}

/** A missing member, null and an empty list are equal. */
export function changesBetween(from: unknown, to: unknown, pointer = ''): Change[] {
  if (isSame(from, to)) return []
  if (isEmpty(from)) return [{ pointer, change: 'added', from: null, to }]
  if (isEmpty(to)) return [{ pointer, change: 'removed', from, to: null }]
  if (!isObject(from) || !isObject(to) || Array.isArray(from) !== Array.isArray(to))
    return [{ pointer, change: 'changed', from, to }]
  const [before, after] = [entriesByKey(from), entriesByKey(to)]
  const names = [...new Set([...before.keys(), ...after.keys()])]
  const inside = names.flatMap((name) =>
    changesBetween(before.get(name), after.get(name), `${pointer}/${escapePointer(name)}`),
  )
  if (inside.length > 0 || !Array.isArray(from)) return inside
  // The same entries in a different order. This is a change, because rules are evaluated in order.
  return [{ pointer, change: 'changed', from: [...before.keys()], to: [...after.keys()] }]
}

/** List entries are matched by name if they have one, otherwise by position. */
function entriesByKey(value: object): Map<string, unknown> {
  if (!Array.isArray(value)) return new Map(Object.entries(value))
  const names = value.map((entry, index) =>
    isObject(entry) && 'name' in entry ? String(entry.name) : String(index),
  )
  return new Map(names.map((name, index) => [name, value[index]]))
}

function isSame(from: unknown, to: unknown): boolean {
  return (
    JSON.stringify(sortMembers(from ?? null)) === JSON.stringify(sortMembers(to ?? null)) ||
    (isEmpty(from) && isEmpty(to))
  )
}

/** Sorts members, so that their order does not matter. */
function sortMembers(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortMembers)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, sortMembers(member)]),
  )
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function escapePointer(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** What makes one definition of a route differ from another, place by place. Pure. */

export type Change = {
  readonly pointer: string
  readonly change: 'added' | 'removed' | 'changed'
  readonly from: unknown
  readonly to: unknown
}

/** A member that is not there and one that is null or empty say the same. */
export function changesBetween(from: unknown, to: unknown, pointer = ''): Change[] {
  if (isSame(from, to)) return []
  if (isEmpty(from)) return [{ pointer, change: 'added', from: null, to }]
  if (isEmpty(to)) return [{ pointer, change: 'removed', from, to: null }]
  if (!isObject(from) || !isObject(to) || Array.isArray(from) !== Array.isArray(to))
    return [{ pointer, change: 'changed', from, to }]
  const [before, after] = [keyed(from), keyed(to)]
  const names = [...new Set([...before.keys(), ...after.keys()])]
  const inside = names.flatMap((name) =>
    changesBetween(before.get(name), after.get(name), `${pointer}/${escaped(name)}`),
  )
  if (inside.length > 0 || !Array.isArray(from)) return inside
  // The same entries in another order: which rule is asked first matters.
  return [{ pointer, change: 'changed', from: [...before.keys()], to: [...after.keys()] }]
}

/** Entries with a name are the same entry wherever they stand. */
function keyed(value: object): Map<string, unknown> {
  if (!Array.isArray(value)) return new Map(Object.entries(value))
  const names = value.map((entry, place) =>
    isObject(entry) && 'name' in entry ? String(entry.name) : String(place),
  )
  return new Map(names.map((name, place) => [name, value[place]]))
}

function isSame(from: unknown, to: unknown): boolean {
  return (
    JSON.stringify(ordered(from ?? null)) === JSON.stringify(ordered(to ?? null)) ||
    (isEmpty(from) && isEmpty(to))
  )
}

/** With members in one order, whoever wrote them. */
function ordered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(ordered)
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, member]) => member !== undefined)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, member]) => [name, ordered(member)]),
  )
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0)
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Canonical JSON: members are sorted, so that equal values are equal strings. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member) => (isPlainObject(member) ? sorted(member) : member)) ?? ''
}

/** Whether two JSON values are equal, regardless of the order of their members. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((element, index) => isSameJson(element, b[index]))
  if (!isPlainObject(a) || !isPlainObject(b)) return false
  const names = Object.keys(a)
  const others = b as Readonly<Record<string, unknown>>
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSameJson(a[name as keyof typeof a], others[name]))
  )
}

function sorted(object: object): object {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

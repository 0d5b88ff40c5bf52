/** JSON with its members in order, so that two spellings of the same value compare as one. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member) => (isPlainObject(member) ? sorted(member) : member)) ?? ''
}

/** Whether two values of JSON are the same, in whatever order their members stand. */
export function isSameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((element, place) => isSameJson(element, b[place]))
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

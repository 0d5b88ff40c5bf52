/** JSON with its members in order, so that two spellings of the same value compare as one. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member) => (isPlainObject(member) ? sorted(member) : member)) ?? ''
}

function sorted(object: object): object {
  return Object.fromEntries(Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

function isPlainObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Paths and queries as the wire has them. */

type QueryValue = string | number | Date | undefined
export type Query = { readonly [name: string]: QueryValue | { readonly [bound: string]: QueryValue } }

/** `{ created_at: { gte } }` becomes `created_at[gte]=…`; what is undefined is left out. */
export function textOf(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    typeof value === 'object' && !(value instanceof Date)
      ? Object.entries(value).map(([bound, at]) => [`${name}[${bound}]`, at] as const)
      : [[name, value] as const],
  )
  const parameters = new URLSearchParams()
  for (const [name, value] of pairs)
    if (value !== undefined)
      parameters.append(name, value instanceof Date ? value.toISOString() : String(value))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** An id within a path. An empty one would turn "this object" into "all of them". */
export function part(id: string): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..')
    throw new TypeError(`"${id}" is not an id.`)
  return encodeURIComponent(id)
}

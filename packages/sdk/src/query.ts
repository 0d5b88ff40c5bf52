/** Encodes paths and query strings. */

type QueryValue = string | number | Date | undefined
export type Query = { readonly [name: string]: QueryValue | { readonly [bound: string]: QueryValue } }

/** `{ created_at: { gte } }` becomes `created_at[gte]=…`. Undefined values are omitted. */
export function encodeQuery(query: Query = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    typeof value === 'object' && !(value instanceof Date)
      ? Object.entries(value).map(([bound, boundValue]) => [`${name}[${bound}]`, boundValue] as const)
      : [[name, value] as const],
  )
  const parameters = new URLSearchParams()
  for (const [name, value] of pairs)
    if (value !== undefined)
      parameters.append(name, value instanceof Date ? value.toISOString() : String(value))
  const text = parameters.toString()
  return text === '' ? '' : `?${text}`
}

/** Encodes an id in a path. An empty id is rejected, because the path would be the path of the list. */
export function encodeId(id: string): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..')
    throw new TypeError(`"${id}" is not an id.`)
  return encodeURIComponent(id)
}

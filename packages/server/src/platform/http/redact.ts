/**
 * Bodies for the request log, by schema and closed by default: numbers, booleans, words of a closed list
 * and what is marked `loggable` are kept; every other text is struck out. A new member is hidden until
 * somebody decides that it may be seen.
 */
type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly loggable?: boolean
  readonly properties?: { readonly [name: string]: Schema }
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
}

const struckOut = '[redacted]'

export function redact(schema: Schema, value: unknown): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'number') return value
  if (typeof value === 'string') return mayBeSeen(schema, value) ? value : struckOut
  if (Array.isArray(value))
    return value.map((entry) => redact(alternative(schema, 'items').items ?? {}, entry))
  const { properties } = alternative(schema, 'properties')
  // The names of members that no schema declares may be secrets themselves, as with metadata.
  if (properties === undefined) return struckOut
  return Object.fromEntries(
    Object.entries(value as object).map(([name, member]) => [name, redact(properties[name] ?? {}, member)]),
  )
}

function mayBeSeen(schema: Schema, value: string): boolean {
  if (schema.loggable === true || schema.format === 'date-time') return true
  if (schema.const === value || schema.enum?.includes(value)) return true
  return schema.anyOf?.some((one) => mayBeSeen(one, value)) ?? false
}

/** The schema itself, or the one of its alternatives that says something about `keyword`. */
function alternative(schema: Schema, keyword: 'items' | 'properties'): Schema {
  if (schema[keyword] !== undefined) return schema
  return schema.anyOf?.find((one) => one[keyword] !== undefined) ?? {}
}

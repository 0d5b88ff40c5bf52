// Bodies as large as an operation accepts, generated from the schema of its body.

/** The part of a JSON schema that determines the size. */
type Schema = {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly properties?: { readonly [name: string]: Schema }
  readonly patternProperties?: { readonly [pattern: string]: Schema }
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly pattern?: string
  readonly format?: string
  readonly maxLength?: number
  readonly maxItems?: number
  readonly maxProperties?: number
  readonly maximum?: number
}

/** The largest body that the server reads. */
export const maxBodyBytes = 256 * 1024

/** Serializes a body with as many entries in its lists and records as `maxBodyBytes` allows. */
export function fitBody(createBody: (entries: number) => object): string {
  for (let entries = 1_000; entries >= 1; entries = Math.floor(entries * 0.8)) {
    const text = JSON.stringify(createBody(entries))
    if (text.length <= maxBodyBytes) return text
  }
  throw new Error('No body fits.')
}

/** The largest value that the schema allows. */
export function largestValue(schema: Schema, entries = 1_000): unknown {
  const largestInner = (inner: Schema) => largestValue(inner, entries)
  if (schema.const !== undefined) return schema.const
  if (schema.enum !== undefined) return schema.enum[0]
  if (schema.anyOf !== undefined) return longestValue(schema.anyOf.map(largestInner))
  if (schema.properties !== undefined) return mapValues(schema.properties, largestInner)
  const record = entrySchemaOf(schema)
  if (record !== null)
    return createRecord(largestInner(record), Math.min(schema.maxProperties ?? 50, entries))
  if (schema.items !== undefined) {
    const items = schema.items
    return Array.from({ length: Math.min(schema.maxItems ?? 1_000, entries) }, () => largestInner(items))
  }
  if (isText(schema)) return 'x'.repeat(Math.min(schema.maxLength ?? 500, 50_000))
  return schema.examples?.[0] ?? schema.maximum ?? null
}

/** The members that can be long: lists, records and free text. */
export function longMembers({ properties = {} }: Schema, entries = 1_000): object {
  const long = Object.entries(properties).filter(
    ([, schema]) => JSON.stringify(largestValue(schema)).length > 200,
  )
  return mapValues(Object.fromEntries(long), (schema) => largestValue(schema, entries))
}

/**
 * A value with as many violations as possible: every member has a wrong type, and every list and record is
 * full of invalid entries.
 */
export function mostInvalidValue(schema: Schema, entries = 1_000): unknown {
  const inner = schema.anyOf?.find(({ items, properties }) => items ?? properties) ?? schema
  if (inner.properties !== undefined && Object.keys(inner.properties).length > 0)
    return mapValues(inner.properties, (member) => mostInvalidValue(member, entries))
  if (inner.items !== undefined) {
    const entry = inner.items.properties === undefined ? [] : mapValues(inner.items.properties, () => [])
    return Array.from({ length: entries }, () => entry)
  }
  if (entrySchemaOf(inner) !== null)
    return Object.fromEntries(Array.from({ length: entries }, (_, index) => [`no name ${index}`, 0]))
  return []
}

/** The schema of the entries of a record; null if the schema is not a record. */
function entrySchemaOf({ patternProperties = {}, additionalProperties }: Schema): Schema | null {
  const [named] = Object.values(patternProperties)
  return named ?? (typeof additionalProperties === 'object' ? additionalProperties : null)
}

function isText({ type, pattern, format }: Schema): boolean {
  return [type].flat().includes('string') && pattern === undefined && format === undefined
}

function createRecord(value: unknown, size: number): object {
  return Object.fromEntries(Array.from({ length: size }, (_, index) => [`key_${index}`, value]))
}

function mapValues(members: { readonly [name: string]: Schema }, value: (schema: Schema) => unknown): object {
  return Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, value(schema)]))
}

function longestValue(values: readonly unknown[]): unknown {
  return values.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)[0]
}

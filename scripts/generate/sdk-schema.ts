// Converts a JSON Schema to a TypeScript type, with the descriptions as comments.

export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly format?: string
  readonly properties?: { readonly [member: string]: Schema }
  readonly required?: readonly string[]
  readonly items?: Schema
  readonly contentSchema?: Schema
  readonly allOf?: readonly Schema[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly default?: unknown
}

/**
 * In a request a member may be undefined and a time may be a Date: both are serialized to the right JSON
 * automatically.
 */
export type Side = 'request' | 'response'

export function typeOf(schema: Schema, side: Side, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.split('/').at(-1) as string
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum !== undefined) return schema.enum.map(literal).join(' | ')
  const types = [schema.type ?? 'object'].flat()
  return types.map((type) => typeOfSingle(type, schema, side, indent)).join(' | ')
}

function typeOfSingle(type: string, schema: Schema, side: Side, indent: string): string {
  if (type === 'object') return objectType(schema, side, indent)
  if (type === 'array') return arrayType(schema, side, indent)
  if (type === 'integer' || type === 'number') return 'number'
  if (type === 'string') return side === 'request' && schema.format === 'date-time' ? 'string | Date' : type
  if (type === 'boolean' || type === 'null') return type
  throw new Error(`Unknown type ${type}: add it to scripts/generate/sdk-schema.ts.`)
}

function objectType(schema: Schema, side: Side, indent: string): string {
  if (schema.properties !== undefined) return `{\n${membersOf(schema, side, `${indent}  `)}\n${indent}}`
  const { additionalProperties: values } = schema
  return `Record<string, ${typeof values === 'object' ? typeOf(values, side, indent) : 'unknown'}>`
}

function arrayType({ items = {} }: Schema, side: Side, indent: string): string {
  const entry = typeOf(items, side, indent)
  return /^[\w.]+$/.test(entry) || entry.startsWith('{') ? `${entry}[]` : `(${entry})[]`
}

export function membersOf(schema: Schema, side: Side, indent: string): string {
  return Object.entries(schema.properties ?? {})
    .map(([name, member]) => {
      const optional = !schema.required?.includes(name)
      const type = typeOf(member, side, indent)
      const orUndefined = optional && side === 'request' ? ' | undefined' : ''
      const key = /^\w+$/.test(name) ? name : literal(name)
      return `${commentOf(member, indent)}${indent}${key}${optional ? '?' : ''}: ${type}${orUndefined}`
    })
    .join('\n')
}

export function commentOf({ description, default: fallback }: Schema, indent: string): string {
  const defaultText = fallback === undefined ? [] : [`Default: ${literal(fallback)}.`]
  const sentences = [...(description === undefined ? [] : [description]), ...defaultText]
  return sentences.length === 0 ? '' : `${indent}/** ${sentences.join(' ').replaceAll('*/', '*\\/')} */\n`
}

/** Compares the JSON. The same code creates equal schemas, so their keys are in the same order. */
export function sameSchema(a: object | undefined, b: object | undefined): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value.replaceAll(/['\\]/g, '\\$&')}'` : String(value)
}

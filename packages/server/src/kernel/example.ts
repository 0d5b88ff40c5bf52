/**
 * Builds an example value for a schema from the examples in the schema. A nullable member without an example
 * is null, because the examples of all members together would contradict each other: a failed payment, for
 * example, has no refund. A member that is not nullable and has no example is omitted. The value then does not
 * match the schema, and a test fails.
 */

type Schema = {
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly properties?: { readonly [member: string]: Schema }
  readonly items?: Schema
}

export function exampleOfSchema(schema: object): unknown {
  const {
    type,
    examples,
    const: constant,
    default: defaultValue,
    enum: values,
    properties,
    items,
  } = schema as Schema
  if (examples?.[0] !== undefined) return examples[0]
  if (defaultValue === undefined && [type].flat().includes('null')) return null
  const value = constant ?? defaultValue ?? values?.[0]
  if (value !== undefined) return value
  if (properties !== undefined) return membersOf(properties)
  if (items !== undefined) return [exampleOfSchema(items)].filter((entry) => entry !== undefined)
  return undefined
}

function membersOf(properties: { readonly [member: string]: Schema }): object {
  const entries = Object.entries(properties).map(([name, member]) => [name, exampleOfSchema(member)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

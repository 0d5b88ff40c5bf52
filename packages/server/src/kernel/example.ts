/**
 * A value that shows what a schema means, made of the examples that the schema itself gives. What may be null and
 * gives none is null: a failure, a review and a refund in one value would contradict each other. What has no example,
 * and may not be null, is left out: the value then does not fit the schema, which a test sees.
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
  const { type, examples, const: constant, default: usual, enum: words, properties, items } = schema as Schema
  if (examples?.[0] !== undefined) return examples[0]
  if (usual === undefined && [type].flat().includes('null')) return null
  const given = constant ?? usual ?? words?.[0]
  if (given !== undefined) return given
  if (properties !== undefined) return membersOf(properties)
  if (items !== undefined) return [exampleOfSchema(items)].filter((entry) => entry !== undefined)
  return undefined
}

function membersOf(properties: { readonly [member: string]: Schema }): object {
  const entries = Object.entries(properties).map(([name, member]) => [name, exampleOfSchema(member)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

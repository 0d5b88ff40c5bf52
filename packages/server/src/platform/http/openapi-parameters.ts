/**
 * The parameters of operations in the OpenAPI document. Parameters that several operations have are declared
 * once, under `components.parameters`, and referenced.
 */
import type { TSchema } from 'typebox'
import { inline, type SharedSchemas } from './openapi-schemas.ts'
import { type Operation, takesKey } from './operation.ts'
import type { JsonObject } from './versions.ts'

type Parameter = JsonObject & { readonly name: string }

export type Parameters = {
  /** For `components.parameters`. */
  readonly shared: JsonObject
  /** The parameters of one operation, or references to them. */
  readonly of: (operation: Operation) => readonly JsonObject[]
}

export function describeParameters(operations: readonly Operation[], schemas: SharedSchemas): Parameters {
  const byOperation = new Map(operations.map((operation) => [operation.id, parametersOf(operation, schemas)]))
  const uses = Map.groupBy([...byOperation.values()].flat(), (parameter) => JSON.stringify(parameter))
  const shared = new Map<string, Parameter>()
  for (const [parameter, ...others] of uses.values()) {
    if (parameter === undefined || others.length === 0) continue
    const key = keyOf(parameter)
    // A different parameter with the same name is not shared.
    if (!shared.has(key)) shared.set(key, parameter)
  }
  const reference = (parameter: Parameter) => {
    const key = keyOf(parameter)
    const isShared = JSON.stringify(shared.get(key)) === JSON.stringify(parameter)
    return isShared ? { $ref: `#/components/parameters/${key}` } : parameter
  }
  return {
    shared: Object.fromEntries(shared),
    of: ({ id }) => (byOperation.get(id) ?? []).map(reference),
  }
}

/** Keys of components may not contain brackets: `created_at[gte]` becomes `created_at.gte`. */
function keyOf({ name }: Parameter): string {
  return name.replaceAll('[', '.').replaceAll(']', '')
}

function parametersOf(operation: Operation, schemas: SharedSchemas): Parameter[] {
  const from = (location: 'path' | 'query', schema: TSchema | undefined) =>
    Object.entries((schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {}).map(
      ([name, member]) => {
        const { description, ...rest } = inline(member, schemas) as { description?: string }
        return {
          name,
          in: location,
          required: location === 'path',
          ...(description ? { description } : {}),
          schema: rest,
        }
      },
    )
  return [
    ...from('path', operation.params),
    ...from('query', operation.query),
    ...Object.entries(operation.headers ?? {}).map(headerParameter),
    ...(takesKey(operation.method) ? [keyParameter] : []),
    ...(operation.takesIfMatch ? [matchParameter] : []),
    ...(operation.streams ? [lastEventParameter] : []),
    versionParameter,
  ]
}

/** The name in its usual spelling: `checkout-secret` becomes `Checkout-Secret`. */
function headerParameter([name, description]: [string, string]): Parameter {
  const canonicalName = name.replaceAll(/(^|-)[a-z]/g, (start) => start.toUpperCase())
  return { name: canonicalName, in: 'header', required: true, description, schema: { type: 'string' } }
}

const keyParameter = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Unique key of your choice for this request. Repeating the request with the same key has no further effect and returns the same response, for 7 days.',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
}
const matchParameter = {
  name: 'If-Match',
  in: 'header',
  required: false,
  description: 'Version of the object from `ETag`. The object is changed only if it still has this version.',
  schema: { type: 'string' },
}
const lastEventParameter = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description: 'The `id` of the last frame you received: continues after it.',
  schema: { type: 'string' },
}
const versionParameter = {
  name: 'Switchyard-Version',
  in: 'header',
  required: false,
  description: 'API version of the response. Default: the version of the workspace.',
  schema: { type: 'string', examples: ['2026-11-14'] },
}

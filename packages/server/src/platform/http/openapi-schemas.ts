/** Schemas as the OpenAPI document has them: those with a name of their own are listed once and referred to. */
import type { TSchema } from 'typebox'
import type { JsonObject } from './versions.ts'

/** What `components.schemas` will hold, by name. */
export type SharedSchemas = Map<string, JsonObject>

/** A schema with a name of its own is listed once and referred to; the others stand where they are used. */
export function inline(schema: TSchema, shared: SharedSchemas): JsonObject {
  const { $id, ...rest } = schema as { $id?: string }
  const plain = plainSchema(rest, shared) as JsonObject
  if ($id === undefined) return plain
  shared.set($id, plain)
  return { $ref: `#/components/schemas/${$id}` }
}

/** Words that are ours alone, and would puzzle a reader of the document. */
const ownWords = new Set(['loggable', 'faultDetail', '$id'])

function plainSchema(value: unknown, shared: SharedSchemas): unknown {
  if (Array.isArray(value)) return value.map((entry) => nested(entry, shared))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !ownWords.has(name))
      .map(([name, member]) => [name, nested(member, shared)]),
  )
}

function nested(value: unknown, shared: SharedSchemas): unknown {
  const isNamed =
    typeof value === 'object' &&
    value !== null &&
    typeof (value as TSchema & { $id?: unknown }).$id === 'string'
  return isNamed ? inline(value as TSchema, shared) : plainSchema(value, shared)
}

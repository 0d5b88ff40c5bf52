/**
 * Schemas of the OpenAPI document. Objects (with an `$id`), request bodies, currencies, and schemas with the
 * `sharedAs` keyword are listed once and referenced.
 */
import type { TSchema } from 'typebox'
import { assert } from '../../kernel/assert.ts'
import { currencies } from '../../kernel/currency.ts'
import type { JsonObject } from './versions.ts'

/** The content of `components.schemas`, by name. */
export type SharedSchemas = Map<string, JsonObject>

/** A schema with an `$id` is listed once and referenced; others are inlined. */
export function inline(schema: TSchema, shared: SharedSchemas): JsonObject {
  const { $id, ...rest } = schema as { $id?: string }
  const plain = plainSchema(rest, shared) as JsonObject
  if ($id === undefined) return plain
  shared.set($id, plain)
  return referenceTo($id)
}

/** The body of an operation is named after it. */
export function inlineBody(operationId: string, schema: TSchema, shared: SharedSchemas): JsonObject {
  const name = bodyNameOf(operationId)
  assert(!shared.has(name), `Two schemas are called ${name}: rename one of them.`)
  shared.set(name, inline(schema, shared))
  return referenceTo(name)
}

/** `api_tokens.create` takes a `CreateApiToken`. */
export function bodyNameOf(operationId: string): string {
  const [nouns = '', verb = ''] = operationId.split('.')
  const noun = nouns
    .replace(/^people$/, 'person')
    .replace(/ies$/, 'y')
    .replace(/s$/, '')
  return pascal(verb) + pascal(noun)
}

function pascal(words: string): string {
  return words.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())
}

function referenceTo(name: string): JsonObject {
  return { $ref: `#/components/schemas/${name}` }
}

/** Custom keywords, which are not part of OpenAPI. */
const customKeywords = new Set(['loggable', 'faultDetail', 'sharedAs', '$id'])

function plainSchema(value: unknown, shared: SharedSchemas): unknown {
  if (Array.isArray(value)) return value.map((entry) => nested(entry, shared))
  if (typeof value !== 'object' || value === null) return value
  const plain = Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !customKeywords.has(name))
      .map(([name, member]) => [name, nested(member, shared)]),
  )
  const name = isCurrency(value) ? 'Currency' : (value as { sharedAs?: string }).sharedAs
  return typeof name === 'string' ? share(name, plain, shared) : plain
}

function nested(value: unknown, shared: SharedSchemas): unknown {
  const isNamed =
    typeof value === 'object' &&
    value !== null &&
    typeof (value as TSchema & { $id?: unknown }).$id === 'string'
  return isNamed ? inline(value as TSchema, shared) : plainSchema(value, shared)
}

/** Shares the schema without the description, examples and default, which are specific to one member. */
function share(name: string, schema: JsonObject, shared: SharedSchemas): JsonObject {
  const entries = Object.entries(schema)
  const isAnnotation = ([keyword]: readonly [string, unknown]) => annotations.has(keyword)
  const common = Object.fromEntries(entries.filter((entry) => !isAnnotation(entry)))
  const existing = shared.get(name) ?? common
  assert(JSON.stringify(existing) === JSON.stringify(common), `Two different schemas are shared as ${name}.`)
  shared.set(name, common)
  return { ...referenceTo(name), ...Object.fromEntries(entries.filter(isAnnotation)) }
}

const annotations = new Set(['description', 'examples', 'default'])

function isCurrency(schema: object): boolean {
  const { enum: codes = [], type } = schema as { readonly type?: unknown; readonly enum?: readonly string[] }
  return type === 'string' && codes.length > 0 && codes.join() === currencies.join()
}

/**
 * Redacts bodies for the request log by their schema. Values are hidden by default: numbers, booleans, times,
 * enum values and members marked `loggable` are kept; everything else is redacted. A new member is hidden
 * until it is marked, and a member marked as not loggable is hidden with all its content. Rejected bodies are
 * logged too, so a value must also match its schema: a card number in place of an amount, an id or a time is
 * redacted.
 */
import { scrub } from '../log.ts'

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

const redacted = '[redacted]'

export function redact(declared: object, value: unknown): unknown {
  const schema: Schema = declared
  if (value === null || typeof value === 'boolean') return value
  if (schema.loggable === false) return redacted
  if (typeof value === 'number')
    return isNumeric(schema) && Math.abs(value) < cardNumberThreshold ? value : redacted
  if (typeof value === 'string') return isVisible(schema, value) ? value : redacted
  return Array.isArray(value) ? redactList(schema, value) : redactObject(schema, value as object)
}

/** Card numbers have at least 13 digits. */
const cardNumberThreshold = 1e12

function redactList(schema: Schema, list: readonly unknown[]): unknown {
  const { items } = alternative(schema, 'items')
  return items === undefined ? redacted : list.map((entry) => redact(items, entry))
}

/** Names of undeclared members may be secrets themselves, as in metadata. */
function redactObject(schema: Schema, object: object): unknown {
  const { properties } = alternative(schema, 'properties')
  if (properties === undefined) return redacted
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) =>
      Object.hasOwn(properties, name)
        ? [name, redact(properties[name] as Schema, member)]
        : [redacted, redacted],
    ),
  )
}

const id = /^[a-z_]{1,40}_(?:test_)?[0-9A-HJKMNP-TV-Z]{26}$/i
const time = /^\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d)$/i
/** Ids, versions, names of operations and types, pointers, token hints. No space, no `@`. */
const singleWord = /^[\w./:…-]{1,100}$/

function isVisible(schema: Schema, value: string): boolean {
  if (schema.loggable === true && singleWord.test(value) && scrub(value) === value) return true
  if (schema.format === 'date-time' && time.test(value)) return true
  if (schema.const === value || schema.enum?.includes(value)) return true
  return schema.anyOf?.some((option) => isVisible(option, value)) ?? false
}

function isNumeric({ type, anyOf }: Schema): boolean {
  const types = [type ?? []].flat()
  return types.includes('number') || types.includes('integer') || (anyOf?.some(isNumeric) ?? false)
}

/** A path for the request log. Its parameters are user input, so only ids are kept. */
export function redactPath(route: string, path: string): string {
  const actualParts = path.split('/')
  const redactPart = (part: string, index: number) =>
    part.startsWith(':') && !id.test(actualParts[index] ?? '') ? redacted : (actualParts[index] ?? '')
  return route.split('/').map(redactPart).join('/')
}

/** The schema itself, or the first of its alternatives that has `keyword`. */
function alternative(schema: Schema, keyword: 'items' | 'properties'): Schema {
  if (schema[keyword] !== undefined) return schema
  return schema.anyOf?.find((option) => option[keyword] !== undefined) ?? {}
}

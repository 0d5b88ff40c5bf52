/**
 * Bodies for the request log, by schema and closed by default: numbers, booleans, times, words of a closed
 * list and what is marked `loggable` are kept; everything else is struck out. A new member is hidden until
 * somebody decides that it may be seen, and one that is marked as not loggable is hidden with all it holds. A body that was refused is logged too, so a member must also look
 * like what its schema says: a card number in the place of an amount, an id or a time is none of them.
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

const struckOut = '[redacted]'

export function redact(declared: object, value: unknown): unknown {
  const schema: Schema = declared
  if (value === null || typeof value === 'boolean') return value
  if (schema.loggable === false) return struckOut
  if (typeof value === 'number')
    return isNumeric(schema) && Math.abs(value) < asLongAsACard ? value : struckOut
  if (typeof value === 'string') return mayBeSeen(schema, value) ? value : struckOut
  return Array.isArray(value) ? redactList(schema, value) : redactObject(schema, value as object)
}

/** Card numbers have 13 digits and more. */
const asLongAsACard = 1e12

function redactList(schema: Schema, list: readonly unknown[]): unknown {
  const { items } = alternative(schema, 'items')
  return items === undefined ? struckOut : list.map((entry) => redact(items, entry))
}

/** The names of members that no schema declares may be secrets themselves, as with metadata. */
function redactObject(schema: Schema, object: object): unknown {
  const { properties } = alternative(schema, 'properties')
  if (properties === undefined) return struckOut
  return Object.fromEntries(
    Object.entries(object).map(([name, member]) =>
      Object.hasOwn(properties, name)
        ? [name, redact(properties[name] as Schema, member)]
        : [struckOut, struckOut],
    ),
  )
}

const id = /^[a-z_]{1,40}_(?:test_)?[0-9A-HJKMNP-TV-Z]{26}$/i
const time = /^\d{4}-\d\d-\d\dT[\d:.]{8,18}(?:Z|[+-]\d\d:\d\d)$/i
/** Ids, versions, names of operations and types, pointers, hints of tokens. No space, no `@`. */
const word = /^[\w./:…-]{1,100}$/

function mayBeSeen(schema: Schema, value: string): boolean {
  if (schema.loggable === true && word.test(value) && scrub(value) === value) return true
  if (schema.format === 'date-time' && time.test(value)) return true
  if (schema.const === value || schema.enum?.includes(value)) return true
  return schema.anyOf?.some((one) => mayBeSeen(one, value)) ?? false
}

function isNumeric({ type, anyOf }: Schema): boolean {
  const types = [type ?? []].flat()
  return types.includes('number') || types.includes('integer') || (anyOf?.some(isNumeric) ?? false)
}

/** A path for the request log: of its parameters, which a caller types, only ids may be seen. */
export function redactPath(route: string, path: string): string {
  const typed = path.split('/')
  const seen = (part: string, place: number) =>
    part.startsWith(':') && !id.test(typed[place] ?? '') ? struckOut : (typed[place] ?? '')
  return route.split('/').map(seen).join('/')
}

/** The schema itself, or the one of its alternatives that says something about `keyword`. */
function alternative(schema: Schema, keyword: 'items' | 'properties'): Schema {
  if (schema[keyword] !== undefined) return schema
  return schema.anyOf?.find((one) => one[keyword] !== undefined) ?? {}
}

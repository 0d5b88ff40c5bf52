/** Converts validator errors to errors that a developer can act on: location, rule, and a sentence. */
import { closest } from '../../kernel/closest.ts'
import type { Fault } from '../../kernel/errors.ts'

/** The members of a validator error that we use. */
export type SchemaError = {
  readonly keyword: string
  readonly instancePath: string
  readonly params: { readonly [name: string]: unknown }
  readonly message?: string | undefined
  /** The value that was sent. */
  readonly data?: unknown
  readonly parentSchema?: { readonly properties?: object; readonly [keyword: string]: unknown } | undefined
}

const time = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)$/

/**
 * RFC 3339, as far as Date can represent it. The usual check of validators also accepts leap seconds and
 * short offsets, which Date cannot parse.
 */
function isTime(text: string): boolean {
  if (!time.test(text)) return false
  const day = text.slice(0, 10)
  // Date parses February 30 as March 2.
  const midnight = new Date(`${day}T00:00:00Z`)
  return !Number.isNaN(Date.parse(text)) && midnight.toISOString().startsWith(day)
}

/** Validator options: nothing is silently removed, and all errors are reported. */
export function validatorOptions(options: { readonly coerceTypes: boolean }) {
  return {
    customOptions: {
      ...options,
      removeAdditional: false as const,
      allErrors: true,
      verbose: true,
      allowUnionTypes: true,
      strict: false,
    },
    onCreate: (validator: { addFormat(name: string, check: (text: string) => boolean): unknown }) => {
      validator.addFormat('date-time', isTime)
    },
  }
}

/** The maximum length of a URL, and of a form that is treated like a query. */
export const maxUrlCharacters = 8 * 1024

/** The database cannot store NUL. For bodies the parser rejects it. */
export function nulsIn(query: unknown): Fault[] {
  return Object.entries(query ?? {})
    .filter(([name, text]) => `${name}${String(text)}`.includes('\0'))
    .map(([name]) => ({
      pointer: `/${pointerPart(name.replaceAll('\0', ''))}`,
      code: 'bad_format',
      detail: 'must not contain the character NUL',
    }))
}

/** A longer list would not help, and a hostile body could cause thousands. */
const maxFaults = 50

export function faultsOf(errors: readonly SchemaError[]): Fault[] {
  const byPointer = new Map<string, SchemaError>()
  const badPaths = new Set(
    errors.flatMap(({ keyword, instancePath, params }) =>
      keyword === 'propertyNames' ? [`${instancePath}/${pointerPart(params.propertyName)}`] : [],
    ),
  )
  for (const error of errors) {
    if (byPointer.size >= maxFaults) break
    // A pointer below a name that is not allowed would repeat that name, which may be a secret in the wrong place.
    if (badPaths.size > 0 && isBelow(badPaths, error.instancePath)) continue
    const pointer = pointerOf(error)
    // Each alternative of a schema reports its own error for the same location; the first one suffices.
    if (!combining.has(error.keyword) && !byPointer.has(pointer)) byPointer.set(pointer, error)
  }
  // Sentences are built last, because computing suggestions is expensive.
  return [...byPointer].map(([pointer, error]) => ({ pointer, ...faultTextOf(error) }))
}

/** These only report that a nested error occurred, which is listed separately. */
const combining = new Set(['anyOf', 'oneOf', 'allOf', 'if', 'propertyNames'])

type FaultText = Omit<Fault, 'pointer'>
type Rule = (error: SchemaError) => FaultText

const rules: Record<string, Rule> = {
  required: () => ({ code: 'required', detail: 'is required' }),
  additionalProperties: unknownMember,
  type: wrongType,
  enum: notInList,
  const: ({ params }) => ({ code: 'not_in_list', detail: `must be ${JSON.stringify(params.allowedValue)}` }),
  minLength: ({ params }) => ({
    code: 'too_short',
    detail: `must have at least ${counted(params.limit, 'character')}`,
  }),
  maxLength: ({ params }) => ({
    code: 'too_long',
    detail: `must have at most ${counted(params.limit, 'character')}`,
  }),
  minimum: ({ params }) => ({ code: 'too_small', detail: `must be ${params.limit} or more` }),
  maximum: ({ params }) => ({ code: 'too_large', detail: `must be ${params.limit} or less` }),
  minItems: ({ params }) => ({
    code: 'too_short',
    detail: `must have at least ${counted(params.limit, 'entry')}`,
  }),
  maxItems: ({ params }) => ({
    code: 'too_many',
    detail: `must have at most ${counted(params.limit, 'entry')}`,
  }),
  minProperties: ({ params }) => ({
    code: 'too_short',
    detail: `must have at least ${counted(params.limit, 'member')}`,
  }),
  maxProperties: ({ params }) => ({
    code: 'too_many',
    detail: `must have at most ${counted(params.limit, 'member')}`,
  }),
  format: ({ params }) => ({
    code: 'bad_format',
    detail: `must be ${formats[String(params.format)] ?? params.format}`,
  }),
  pattern: ({ parentSchema }) => ({
    code: 'bad_format',
    detail: String(parentSchema?.faultDetail ?? 'has the wrong format'),
  }),
}

const formats: Record<string, string> = {
  'date-time': 'a time such as 2026-11-14T12:00:00.000Z',
  date: 'a date such as 2026-11-14',
  email: 'an email address',
}

/** Whether the pointer, or one of its parents, is among the paths. */
function isBelow(paths: ReadonlySet<string>, pointer: string): boolean {
  for (let end = pointer.length; end > 0; end = pointer.lastIndexOf('/', end - 1))
    if (paths.has(pointer.slice(0, end))) return true
  return false
}

/** The location. A missing or unknown member is appended to the pointer of its object. */
function pointerOf({ keyword, instancePath, params }: SchemaError): string {
  if (keyword === 'required') return `${instancePath}/${pointerPart(params.missingProperty)}`
  if (keyword === 'additionalProperties') return `${instancePath}/${pointerPart(params.additionalProperty)}`
  return instancePath
}

function faultTextOf(error: SchemaError): FaultText {
  const text = rules[error.keyword]?.(error)
  return text ?? { code: 'bad_format', detail: error.message ?? 'is not valid' }
}

const typeNames: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
}

function wrongType({ params, instancePath }: SchemaError): FaultText {
  const types = [params.type].flat().map(String)
  // Callers who send decimals, or amounts as text, have overlooked that amounts are in minor units.
  const isAmount = types.includes('integer') && /(?:^|[/_])amount$/.test(instancePath)
  const hint = isAmount ? ' in minor units: send 1299 for 12.99' : ''
  return {
    code: 'wrong_type',
    detail: `must be ${types.map((type) => typeNames[type] ?? type).join(' or ')}${hint}`,
  }
}

function unknownMember({ params, parentSchema }: SchemaError): FaultText {
  const name = String(params.additionalProperty)
  const members = parentSchema?.properties ?? {}
  const parent = Object.entries(members).find(([, member]) => hasMember(member, name))?.[0]
  const suggestion = parent === undefined ? closest(name, Object.keys(members)) : `${parent}.${name}`
  const detail =
    suggestion === null ? 'is not a known member' : `is not a known member: did you mean \`${suggestion}\`?`
  return { code: 'unknown_member', detail }
}

type ObjectSchema = { readonly properties?: object; readonly anyOf?: readonly ObjectSchema[] }

/**
 * Whether the schema is an object with this member. A nullable object is one of two alternatives of a schema.
 */
function hasMember({ properties = {}, anyOf = [] }: ObjectSchema, name: string): boolean {
  return Object.hasOwn(properties, name) || anyOf.some((option) => hasMember(option, name))
}

function notInList({ params, data, parentSchema }: SchemaError): FaultText {
  const allowed = (params.allowedValues as readonly unknown[]).filter((value) => typeof value === 'string')
  const suggestion = typeof data === 'string' ? closest(data, allowed) : null
  const detail = parentSchema?.faultDetail ?? `must be one of ${listText(params.allowedValues)}`
  return {
    code: 'not_in_list',
    detail: suggestion === null ? String(detail) : `is not valid: did you mean \`${suggestion}\`?`,
  }
}

function pointerPart(name: unknown): string {
  return String(name).slice(0, 100).toWellFormed().replaceAll('~', '~0').replaceAll('/', '~1')
}

function counted(limit: unknown, noun: 'character' | 'entry' | 'member'): string {
  if (limit === 1) return `1 ${noun}`
  return `${limit} ${noun === 'entry' ? 'entries' : `${noun}s`}`
}

function listText(value: unknown): string {
  return (Array.isArray(value) ? value : [value])
    .map((word) => (word === null ? 'null' : String(word)))
    .join(', ')
}

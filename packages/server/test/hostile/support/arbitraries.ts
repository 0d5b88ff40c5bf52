// Values made from the schemas of operations: fitting ones, and ones with something wrong in them.

import fc, { type Arbitrary } from 'fast-check'

type Schema = {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly maxItems?: number
  readonly items?: Schema
  readonly properties?: { readonly [name: string]: Schema }
  readonly required?: readonly string[]
  readonly additionalProperties?: Schema | boolean
  readonly propertyNames?: Schema
  readonly anyOf?: readonly Schema[]
}

/** What fits no schema in particular. */
export const junk: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1.5, 1e21, -1e308, 2 ** 53, '', ' ', 'null', 'x'.repeat(6_000)),
  fc.constantFrom<unknown>(
    '\u0000',
    '\ud800',
    '\u202e',
    [],
    {},
    [[[]]],
    { constructor: {} },
    ['__proto__'],
    -0,
  ),
  fc.constantFrom<unknown>(
    '2016-12-31T23:59:60Z',
    '2026-11-14T12:00:00+01',
    '0000-01-01T00:00:00Z',
    '9999-12-31T23:59:59Z',
  ),
  fc.jsonValue({ maxDepth: 3 }),
)

/** Mostly fitting; here and there something else, or a member too many. */
export function mutated(schema: object): Arbitrary<unknown> {
  const sane = valueFor(schema, 6)
  const extra = fc.dictionary(fc.string({ maxLength: 20 }), junk, { minKeys: 1, maxKeys: 3 })
  return fc.oneof(
    { weight: 6, arbitrary: sane },
    { weight: 6, arbitrary: valueFor(schema, 0.7) },
    {
      weight: 1,
      arbitrary: fc.tuple(sane, extra).map(([value, more]) => ({ ...(value as object), ...more })),
    },
    { weight: 1, arbitrary: junk },
  )
}

/** `sanity` is how much likelier a fitting value is than junk, at each place. */
function valueFor(declared: object, sanity: number): Arbitrary<unknown> {
  const schema: Schema = declared
  const fitting = fittingOf(schema, sanity)
  return fc.oneof({ weight: Math.round(sanity * 10), arbitrary: fitting }, { weight: 1, arbitrary: junk })
}

function fittingOf(schema: Schema, sanity: number): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((one) => valueFor(one, sanity)))
  const types = [schema.type ?? 'object'].flat()
  return fc.oneof(...types.map((type) => makers[type]?.(schema, sanity) ?? fc.constant(null)))
}

const makers: Record<string, (schema: Schema, sanity: number) => Arbitrary<unknown>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: ({ minimum = -1_000, maximum = 1_000_000 }) => fc.integer({ min: minimum, max: maximum }),
  number: () => fc.double({ noNaN: true }),
  string: textOf,
  array: ({ items = {}, maxItems = 5 }, sanity) =>
    fc.array(valueFor(items, sanity), { maxLength: Math.min(maxItems, 5) }),
  object: objectOf,
}

function textOf({ format, pattern, minLength = 0, maxLength = 100 }: Schema): Arbitrary<string> {
  if (format === 'email') return fc.emailAddress()
  if (format === 'date-time') return fc.date({ noInvalidDate: true, max: new Date('9999-01-01') }).map(toTime)
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 200) })
}

function toTime(date: Date): string {
  return date.getUTCFullYear() < 0 ? '2026-11-14T12:00:00Z' : date.toISOString()
}

function objectOf(schema: Schema, sanity: number): Arbitrary<unknown> {
  const { properties, required = [], additionalProperties, propertyNames } = schema
  if (properties === undefined) {
    const value = typeof additionalProperties === 'object' ? valueFor(additionalProperties, sanity) : junk
    return fc.dictionary(textOf(propertyNames ?? { maxLength: 20 }), value, { maxKeys: 5 })
  }
  const members = Object.entries(properties).map(([name, member]) => [name, valueFor(member, sanity)])
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] as never[] })
}

/** A query string: parameters of the operation with fitting or other texts, others, and broken encodings. */
export function queryOf(declared: object | undefined): Arbitrary<string> {
  const { properties = {} }: Schema = declared ?? {}
  const names = [...Object.keys(properties), 'no_such_parameter', '__proto__', 'limit[]', '']
  const parameter = fc.constantFrom(...names).chain((name) => {
    const schema: Schema = Object.hasOwn(properties, name) ? (properties[name] as Schema) : {}
    const text = fc
      .oneof(
        { weight: 6, arbitrary: fittingOf(schema, 6) },
        fc.constantFrom('\u0000', '', 'x'.repeat(300)),
        junk,
      )
      .map(asText)
    return text.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  })
  const broken = fc.constantFrom(
    '%',
    '%zz=%zz',
    '&&&=',
    'limit=%00',
    'email=%ed%a0%80',
    'type=%c0%80',
    'limit=1&limit=2',
    '?',
  )
  const parts = fc.array(fc.oneof({ weight: 8, arbitrary: parameter }, { weight: 1, arbitrary: broken }), {
    maxLength: 3,
  })
  const query = parts.map((list) => `?${list.join('&')}`)
  return fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 1, arbitrary: query })
}

function asText(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
}

/** The same schema, with nothing allowed beside what it declares. */
export function closed(declared: object): object {
  const schema: Schema = declared
  const { properties, items, anyOf } = schema
  return {
    ...schema,
    ...(properties && {
      additionalProperties: false,
      properties: Object.fromEntries(Object.entries(properties).map(([name, one]) => [name, closed(one)])),
    }),
    ...(items && { items: closed(items) }),
    ...(anyOf && { anyOf: anyOf.map(closed) }),
    // Two schemas of one name cannot live in one validator.
    $id: undefined,
  }
}

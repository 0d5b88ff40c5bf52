// Generates valid and invalid values from the schemas of operations.

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

/** Values that are independent of any schema. */
export const arbitraryJson: Arbitrary<unknown> = fc.oneof(
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

/** Values that are mostly valid, and sometimes have a wrong value or an additional member. */
export function mutatedBody(schema: object): Arbitrary<unknown> {
  const mostlyValid = valueFor(schema, 6)
  const extra = fc.dictionary(fc.string({ maxLength: 20 }), arbitraryJson, { minKeys: 1, maxKeys: 3 })
  return fc.oneof(
    { weight: 6, arbitrary: mostlyValid },
    { weight: 6, arbitrary: valueFor(schema, 0.7) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(mostlyValid, extra)
        .map(([value, members]) => ({ ...(value as object), ...members })),
    },
    { weight: 1, arbitrary: arbitraryJson },
  )
}

/** For each member, a valid value is `10 * validity` times as likely as an arbitrary one. */
function valueFor(declared: object, validity: number): Arbitrary<unknown> {
  const schema: Schema = declared
  const valid = validValue(schema, validity)
  return fc.oneof(
    { weight: Math.round(validity * 10), arbitrary: valid },
    { weight: 1, arbitrary: arbitraryJson },
  )
}

function validValue(schema: Schema, validity: number): Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((option) => valueFor(option, validity)))
  const types = [schema.type ?? 'object'].flat()
  return fc.oneof(...types.map((type) => generators[type]?.(schema, validity) ?? fc.constant(null)))
}

const generators: Record<string, (schema: Schema, validity: number) => Arbitrary<unknown>> = {
  null: () => fc.constant(null),
  boolean: () => fc.boolean(),
  integer: ({ minimum = -1_000, maximum = 1_000_000 }) => fc.integer({ min: minimum, max: maximum }),
  number: () => fc.double({ noNaN: true }),
  string: validText,
  array: ({ items = {}, maxItems = 5 }, validity) =>
    fc.array(valueFor(items, validity), { maxLength: Math.min(maxItems, 5) }),
  object: validObject,
}

function validText({ format, pattern, minLength = 0, maxLength = 100 }: Schema): Arbitrary<string> {
  if (format === 'email') return fc.emailAddress()
  if (format === 'date-time')
    return fc.date({ noInvalidDate: true, max: new Date('9999-01-01') }).map(toTimestamp)
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern))
  return fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 200) })
}

function toTimestamp(date: Date): string {
  return date.getUTCFullYear() < 0 ? '2026-11-14T12:00:00Z' : date.toISOString()
}

function validObject(schema: Schema, validity: number): Arbitrary<unknown> {
  const { properties, required = [], additionalProperties, propertyNames } = schema
  if (properties === undefined) {
    const value =
      typeof additionalProperties === 'object' ? valueFor(additionalProperties, validity) : arbitraryJson
    return fc.dictionary(validText(propertyNames ?? { maxLength: 20 }), value, { maxKeys: 5 })
  }
  const members = Object.entries(properties).map(([name, member]) => [name, valueFor(member, validity)])
  return fc.record(Object.fromEntries(members), { requiredKeys: [...required] as never[] })
}

/**
 * Query strings with valid and invalid values for the parameters of the operation, unknown parameters, and
 * invalid encodings.
 */
export function arbitraryQuery(declared: object | undefined): Arbitrary<string> {
  const { properties = {} }: Schema = declared ?? {}
  const names = [...Object.keys(properties), 'no_such_parameter', '__proto__', 'limit[]', '']
  const parameter = fc.constantFrom(...names).chain((name) => {
    const schema: Schema = Object.hasOwn(properties, name) ? (properties[name] as Schema) : {}
    const text = fc
      .oneof(
        { weight: 6, arbitrary: validValue(schema, 6) },
        fc.constantFrom('\u0000', '', 'x'.repeat(300)),
        arbitraryJson,
      )
      .map(toText)
    return text.map((value) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
  })
  const invalidEncoding = fc.constantFrom(
    '%',
    '%zz=%zz',
    '&&&=',
    'limit=%00',
    'email=%ed%a0%80',
    'type=%c0%80',
    'limit=1&limit=2',
    '?',
  )
  const parts = fc.array(
    fc.oneof({ weight: 8, arbitrary: parameter }, { weight: 1, arbitrary: invalidEncoding }),
    {
      maxLength: 3,
    },
  )
  const query = parts.map((list) => `?${list.join('&')}`)
  return fc.oneof({ weight: 1, arbitrary: fc.constant('') }, { weight: 1, arbitrary: query })
}

function toText(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed()
}

/** The same schema, but objects may have only declared members. */
export function closedSchema(declared: object): object {
  const schema: Schema = declared
  const { properties, items, anyOf } = schema
  return {
    ...schema,
    ...(properties && {
      additionalProperties: false,
      properties: Object.fromEntries(
        Object.entries(properties).map(([name, member]) => [name, closedSchema(member)]),
      ),
    }),
    ...(items && { items: closedSchema(items) }),
    ...(anyOf && { anyOf: anyOf.map(closedSchema) }),
    // A validator cannot have two schemas with the same id.
    $id: undefined,
  }
}

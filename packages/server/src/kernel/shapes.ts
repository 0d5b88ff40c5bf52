/** Shapes that many objects share. */
import { type Static, type TSchema, Type } from 'typebox'
import { exampleOfSchema } from './example.ts'

/** The shape, or null. As a list of types rather than alternatives: one fault stays one fault. */
export function nullable<S extends TSchema>(schema: S) {
  const { type, enum: words, ...rest } = schema as { type?: string; enum?: readonly unknown[] }
  const choice = words === undefined ? {} : { enum: [...words, null] }
  return Type.Unsafe<Static<S> | null>({ ...rest, type: [type, 'null'], ...choice })
}

/** One that may be null, and that examples show. */
export function shownNullable<S extends TSchema>(schema: S) {
  return { ...nullable(schema), examples: [exampleOfSchema(schema)] }
}

/** One that is null in examples: mostly there is none, or it has not come yet. */
export function mostlyNull<S extends TSchema>(schema: S) {
  return { ...nullable(schema), examples: [null] }
}

/** One of a closed list of words. */
export function OneOf<const Words extends readonly string[]>(words: Words, options: object = {}) {
  return Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], ...options })
}

export const Time = Type.String({
  format: 'date-time',
  description: 'RFC 3339, UTC, with milliseconds.',
  examples: ['2026-11-14T12:00:00.000Z'],
})

/** The id of an object, as its examples show it. */
export function IdOf(kind: string, description = `The id of the ${kind.replaceAll('_', ' ')}.`) {
  return Type.String({ description, examples: [`${kind}_test_01M7CYVGQTEAKSNTBFR026MPQ1`], loggable: true })
}

const metadataText = 'Up to 50 keys of your own with texts of up to 500 characters. Never read, never logged.'
const metadataKey = '^[A-Za-z_][A-Za-z0-9_.-]{0,39}$'
const metadataKeyText =
  'has a key that is not allowed: 1 to 40 letters, digits, ".", "_" or "-", the first a letter or "_"'

export const Metadata = Type.Unsafe<Record<string, string>>({
  type: 'object',
  additionalProperties: { type: 'string' },
  description: metadataText,
  examples: [{ order: '4711' }],
})

/** Merged by key; null removes a key. */
export const MetadataChange = Type.Unsafe<Record<string, string | null>>({
  type: 'object',
  maxProperties: 50,
  propertyNames: { pattern: metadataKey, faultDetail: metadataKeyText },
  additionalProperties: { type: ['string', 'null'], maxLength: 500 },
  description: `${metadataText} Merged with what is there; null removes a key.`,
  examples: [{ order: '4711' }],
})

/** What a deletion answers. */
export function Deleted(object: string, $id: string) {
  return Type.Object(
    {
      id: IdOf(object),
      object: Type.Literal(object),
      deleted: Type.Literal(true, { description: 'It is gone.' }),
    },
    { $id, description: `What is left of a ${object.replaceAll('_', ' ')}: its id.` },
  )
}

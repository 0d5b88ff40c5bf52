/** Schemas that many objects share. */
import { type Static, type TSchema, Type } from 'typebox'
import { exampleOfSchema } from './example.ts'

/**
 * The schema, or null. Uses a list of types instead of `anyOf`, so that one invalid value is reported as one
 * error.
 */
export function nullable<S extends TSchema>(schema: S) {
  const { type, enum: values, ...rest } = schema as { type?: string; enum?: readonly unknown[] }
  const choice = values === undefined ? {} : { enum: [...values, null] }
  return Type.Unsafe<Static<S> | null>({ ...rest, type: [type, 'null'], ...choice })
}

/** A nullable schema whose example is not null. */
export function nullableWithExample<S extends TSchema>(schema: S) {
  return { ...nullable(schema), examples: [exampleOfSchema(schema)] }
}

/** A nullable schema whose example is null, because the value is usually absent. */
export function nullableWithNullExample<S extends TSchema>(schema: S) {
  return { ...nullable(schema), examples: [null] }
}

/** A string enum. */
export function OneOf<const Values extends readonly string[]>(values: Values, options: object = {}) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options })
}

export const Time = Type.String({
  format: 'date-time',
  description: 'RFC 3339 timestamp in UTC with milliseconds.',
  examples: ['2026-11-14T12:00:00.000Z'],
})

export const CreatedAt = { ...Time, description: 'Creation time, as an RFC 3339 timestamp in UTC.' }
export const UpdatedAt = { ...Time, description: 'Time of the last change, as an RFC 3339 timestamp in UTC.' }

/** The id of an object, with an example. */
export function IdOf(
  kind: string,
  description = `ID of the ${kind.replaceAll('_', ' ').replace('api ', 'API ')}.`,
) {
  return Type.String({ description, examples: [`${kind}_test_01M7CYVGQTEAKSNTBFR026MPQ1`], loggable: true })
}

const metadataText =
  'Up to 50 custom key-value pairs with values of up to 500 characters. They are never logged.'
const metadataKey = '^[A-Za-z_][A-Za-z0-9_.-]{0,39}$'
const metadataKeyText =
  'has an invalid key: use 1 to 40 letters, digits, ".", "_" or "-", starting with a letter or "_"'

export const Metadata = Type.Unsafe<Record<string, string>>({
  sharedAs: 'Metadata',
  type: 'object',
  additionalProperties: { type: 'string' },
  description: metadataText,
  examples: [{ order: '4711' }],
})

/** Merged by key; null removes a key. */
export const MetadataChange = Type.Unsafe<Record<string, string | null>>({
  sharedAs: 'MetadataChange',
  type: 'object',
  maxProperties: 50,
  propertyNames: { pattern: metadataKey, faultDetail: metadataKeyText },
  additionalProperties: { type: ['string', 'null'], maxLength: 500 },
  description: `${metadataText} Merged with the existing keys; \`null\` removes a key.`,
  examples: [{ order: '4711' }],
})

/** The request body for rotating a secret: how long the previous secret stays valid, at most one week. */
export function Overlap(seconds: number, description: string) {
  const overlap = Type.Integer({ minimum: 0, maximum: 604_800, default: seconds, description })
  return Type.Object({ overlap_seconds: Type.Optional(overlap) }, { additionalProperties: false })
}

/** The response to a deletion. */
export function Deleted(object: string, $id: string) {
  return Type.Object(
    {
      id: IdOf(object),
      object: Type.Literal(object),
      deleted: Type.Literal(true, { description: 'Always true.' }),
    },
    { $id, description: `A deleted ${object.replaceAll('_', ' ')}.` },
  )
}

const Mandate = Type.Object(
  {
    reference: Type.String({
      description: 'Mandate reference. It is unique within the workspace.',
      examples: ['SY01M7CYVGQTEAKSNTBFR026MPQ1'],
    }),
    status: OneOf(['pending', 'active', 'revoked'], {
      description:
        '`pending`: no provider has accepted it yet. `active`: the account can be debited. `revoked`: the payment method was detached.',
      examples: ['active'],
      loggable: true,
    }),
    accepted_at: { ...Time, description: 'Time at which the payer accepted the mandate.' },
    text_version: Type.String({
      description: 'Version of the text that the payer accepted.',
      examples: ['2026-11'],
    }),
  },
  { description: 'Permission of the payer to debit the account.' },
)

/** The details of a bank account that may be shown, and the mandate to debit it. */
export const DebitDetails = Type.Object(
  {
    country: Type.String({
      description: 'Country of the bank account, as a two-letter ISO 3166-1 code.',
      examples: ['DE'],
      loggable: true,
    }),
    bank_code: nullable(
      Type.String({
        description:
          'National code of the bank: the routing number, sort code or *Bankleitzahl*. Null if unknown.',
        examples: ['37040044'],
      }),
    ),
    last4: Type.String({ description: 'Last four digits of the account number.', examples: ['3000'] }),
    account_holder_name: Type.String({ description: 'Account holder.', examples: ['Ada Lovelace'] }),
    mandate: Mandate,
  },
  { description: 'Bank account details that can be displayed, and the mandate.' },
)

/** The members of an object that may have a bank account; see `presentDebit`. */
export const debitDetails = {
  sepa_debit: nullableWithNullExample(DebitDetails),
  ach_debit: nullableWithNullExample(DebitDetails),
  bacs_debit: nullableWithNullExample(DebitDetails),
}

/** API schemas of capabilities, and of the restrictions of the merchant. */
import { type Static, type TSchema, Type } from 'typebox'
import { nullable, OneOf } from '../../../../kernel/shapes.ts'
import { type Capabilities, operationKinds, otherMethodTypes } from '../../../../providers/contract.ts'

const kinds = Type.Array(OneOf(operationKinds), { maxItems: 5, description: 'Supported operations.' })
const codeList = (pattern: string, faultDetail: string, description: string) =>
  Type.Array(Type.String({ pattern, faultDetail, loggable: true }), {
    maxItems: 300,
    description: `${description} Null: all.`,
  })
const brands = codeList(
  '^[a-z0-9_]{1,40}$',
  'must be a lowercase card brand, such as visa',
  'Supported card brands.',
)
const currencies = codeList(
  '^[a-z]{3}$',
  'must be a lowercase currency code, such as eur',
  'Supported currencies in lowercase.',
)
const countries = codeList(
  '^[A-Z]{2}$',
  'must be a two-letter country code, such as GB',
  'Supported countries of card issuers.',
)
const amountLimit = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })
const amount = Type.Object(
  { min: amountLimit('Minimum amount in minor units.'), max: amountLimit('Maximum amount in minor units.') },
  { additionalProperties: false, description: 'Minimum and maximum amount. Null: no limits.' },
)
const capabilityFlag = (description: string) => Type.Boolean({ description, examples: [true] })
const manualCapture = capabilityFlag('Whether authorization and capture can be separated.')
const multiCapture = capabilityFlag('Whether an authorization can be captured in several parts.')
const partialRefund = capabilityFlag('Whether partial refunds are supported.')
const threeDSecure = capabilityFlag('Whether 3-D Secure is supported.')
const methods = Type.Array(OneOf(otherMethodTypes), {
  maxItems: 20,
  description: 'Supported types of payment methods, in addition to cards.',
})
const offSession = capabilityFlag('Whether off-session charges are supported.')

export const CapabilitiesObject = Type.Object(
  {
    kinds,
    brands: nullable(brands),
    currencies: nullable(currencies),
    countries: nullable(countries),
    amount: nullable(amount),
    manual_capture: manualCapture,
    multi_capture: multiCapture,
    partial_refund: partialRefund,
    three_d_secure: threeDSecure,
    off_session: offSession,
    methods,
  },
  {
    description: 'Effective capabilities: what the provider supports, minus your restrictions.',
    examples: [
      {
        kinds: [...operationKinds],
        brands: null,
        currencies: ['eur', 'gbp'],
        countries: null,
        amount: null,
        manual_capture: true,
        multi_capture: false,
        partial_refund: true,
        three_d_secure: true,
        off_session: true,
        methods: ['sepa_debit', 'ideal'],
      },
    ],
  },
)

const optionalRestriction = <S extends TSchema>(schema: S) => Type.Optional(nullable(schema))
export const Narrowing = optionalRestriction(
  Type.Object(
    {
      kinds: optionalRestriction(kinds),
      brands: optionalRestriction(brands),
      currencies: optionalRestriction(currencies),
      countries: optionalRestriction(countries),
      amount: optionalRestriction(amount),
      manual_capture: optionalRestriction(manualCapture),
      multi_capture: optionalRestriction(multiCapture),
      partial_refund: optionalRestriction(partialRefund),
      three_d_secure: optionalRestriction(threeDSecure),
      off_session: optionalRestriction(offSession),
      methods: optionalRestriction(methods),
    },
    {
      additionalProperties: false,
      description: "Restrictions on the provider's capabilities. Null removes a restriction.",
    },
  ),
)

/** The format of the API, in which null means all. */
export function presentCapabilities(capabilities: Capabilities): Static<typeof CapabilitiesObject> {
  const listOrNull = (list: readonly string[] | 'all') => (list === 'all' ? null : [...list])
  return {
    kinds: [...capabilities.kinds],
    brands: listOrNull(capabilities.brands),
    currencies: listOrNull(capabilities.currencies),
    countries: listOrNull(capabilities.countries),
    amount: capabilities.amount,
    manual_capture: capabilities.manualCapture,
    multi_capture: capabilities.multiCapture,
    partial_refund: capabilities.partialRefund,
    three_d_secure: capabilities.threeDSecure,
    off_session: capabilities.offSession,
    methods: otherMethodTypes.filter((type) => capabilities.methods[type] !== undefined),
  }
}

/** API schemas of the fees that the operator enters for an account. */
import { Type } from 'typebox'
import { nullable, OneOf } from '../../../../kernel/shapes.ts'
import { type CostSegment, cardFundings } from '../../../../providers/contract.ts'
import { type CostInput, currencyText, maxCostSegments } from '../costs.ts'

const codeList = (pattern: string, faultDetail: string, description: string, example: string) =>
  nullable(
    Type.Array(Type.String({ pattern, faultDetail, loggable: true }), {
      minItems: 1,
      maxItems: 300,
      description: `${description} Null: any.`,
      examples: [[example]],
    }),
  )

const segmentMembers = {
  currency: nullable(
    Type.String({
      pattern: '^[a-z]{3}$',
      faultDetail: currencyText,
      loggable: true,
      description: 'Currency of the payments, in lowercase. Null: any. Required with `fixed_amount`.',
      examples: ['eur'],
    }),
  ),
  card_brands: codeList(
    '^[a-z0-9_]{1,40}$',
    'must be a lowercase card brand, such as visa',
    'Card brands.',
    'visa',
  ),
  card_countries: codeList(
    '^[A-Z]{2}$',
    'must be a two-letter country code, such as GB',
    'Countries of card issuers.',
    'DE',
  ),
  card_fundings: nullable(
    Type.Array(OneOf(cardFundings), {
      minItems: 1,
      maxItems: cardFundings.length,
      description: 'Funding types of cards. Null: any.',
      examples: [['debit']],
    }),
  ),
  basis_points: Type.Integer({
    minimum: 0,
    maximum: 10_000,
    description: 'Fee in hundredths of a percent of the amount: 140 is 1.4%.',
    examples: [140],
  }),
  fixed_amount: Type.Integer({
    minimum: 0,
    maximum: 999_999_999,
    description: 'Fee per payment in minor units of `currency`. Default: 0.',
    examples: [25],
  }),
}

const costsText =
  'Your fees at this account. They are used to estimate the cost of payments, in routes and simulations; the provider bills its own fees. The first entry that matches a payment applies; if none matches, the cost is unknown.'

export const CostsObject = Type.Unsafe<CostSegment[]>(
  Type.Array(Type.Object(segmentMembers, { sharedAs: 'ProviderAccountCost' }), { description: costsText }),
)

export const CostsInput = Type.Optional(
  Type.Unsafe<readonly CostInput[]>(
    Type.Array(
      Type.Object(
        {
          ...Type.Partial(Type.Object(segmentMembers)).properties,
          basis_points: segmentMembers.basis_points,
        },
        { sharedAs: 'ProviderAccountCostInput', additionalProperties: false },
      ),
      { maxItems: maxCostSegments, description: `${costsText} Replaces the whole list.` },
    ),
  ),
)

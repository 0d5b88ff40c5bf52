/** Settled costs in the API. */
import { type Static, Type } from 'typebox'
import { type Currency, currencies } from '../../../kernel/currency.ts'
import { toSafeNumber } from '../../../kernel/money.ts'
import { IdOf, nullable, OneOf } from '../../../kernel/shapes.ts'
import { feeOf, minLines } from './fee-sums.ts'
import type { SettledCost } from './settled-cost.ts'

export { ProviderAccountPath } from '../../routing/provider-accounts/schema.ts'

const stated = (description: string, example: string) =>
  nullable(
    Type.String({
      description: `${description} Null if the reports do not state it.`,
      examples: [example],
      loggable: true,
    }),
  )
const amount = (description: string, example: number) =>
  Type.Integer({ description, examples: [example], loggable: true })
const tooFew = `Null with fewer than ${minLines} lines, or if all amounts are equal.`

const SettledCostObject = Type.Object(
  {
    object: Type.Literal('settled_cost'),
    provider_account_id: IdOf('provider_account'),
    currency: OneOf(currencies, {
      description: 'Three-letter ISO 4217 currency code in lowercase.',
      examples: ['eur'],
      loggable: true,
    }),
    card_brand: stated('Card brand.', 'visa'),
    card_country: stated('Country of the card issuer.', 'DE'),
    card_funding: stated('Funding type of the card.', 'debit'),
    min_amount: amount('Lowest amount of a payment in this segment, in minor units.', 1_000),
    max_amount: amount('Highest amount of a payment in this segment.', 9_999),
    lines: amount('Number of settlement lines about payments of this segment.', 4_810),
    amount: amount('Sum of the amounts of these payments.', 14_430_000),
    fee: amount('Sum of the fees that the provider charged for them.', 322_270),
    basis_points: nullable(
      Type.Number({
        description: `Part of the fee that depends on the amount, in hundredths of a percent: 140 is 1.4%. ${tooFew}`,
        examples: [140],
        loggable: true,
      }),
    ),
    fixed_amount: nullable(
      Type.Number({
        description: `Part of the fee that every payment has, in minor units. ${tooFew}`,
        examples: [25],
        loggable: true,
      }),
    ),
  },
  {
    $id: 'SettledCost',
    description: 'What payments of one segment have cost, according to settlement reports.',
  },
)

export const SettledCosts = Type.Object({
  object: Type.Literal('list'),
  data: Type.Array(SettledCostObject, {
    description: 'Up to 500 segments, those with the most lines first.',
  }),
  has_more: Type.Literal(false),
  url: Type.String({
    description: 'Path of the list.',
    examples: ['/provider-accounts/provider_account_test_01M7CYVGQTEAKSNTBFR026MPQ1/settled-costs'],
  }),
})

type AccountCosts = { readonly accountId: string; readonly costs: readonly SettledCost[] }

export function presentCosts({ accountId, costs }: AccountCosts): Static<typeof SettledCosts> {
  return {
    object: 'list',
    data: costs.map(presentCost),
    has_more: false,
    url: `/provider-accounts/${accountId}/settled-costs`,
  }
}

function presentCost({ account, currency, card, amountBand, sums }: SettledCost) {
  const fee = feeOf(sums)
  return {
    object: 'settled_cost' as const,
    provider_account_id: account,
    currency: currency as Currency,
    card_brand: card.brand,
    card_country: card.country,
    card_funding: card.funding,
    min_amount: 10 ** amountBand,
    max_amount: 10 ** (amountBand + 1) - 1,
    lines: Number(sums.lines),
    amount: toSafeNumber(sums.amounts),
    fee: toSafeNumber(sums.fees),
    basis_points: fee?.basisPoints ?? null,
    fixed_amount: fee?.fixedAmount ?? null,
  }
}

import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pureRuns } from '../../test/support/property-runs.ts'
import type { Id } from './id.ts'
import { amountOf, draftLine, type LineRule, lineRules, totalOf } from './invoice-lines.ts'
import { allocate, money, mulDiv, multiplyDecimal } from './money.ts'

const vectors = JSON.parse(
  readFileSync(new URL('../../../../fixtures/billing-vectors.json', import.meta.url), 'utf8'),
)
type PriceAndQuantity = { unit_amount_decimal: string; quantity: number }
type ProrationVector = {
  name: string
  at: string
  end_at: string
  numerator_seconds: number
  denominator_seconds: number
  from: PriceAndQuantity
  to: PriceAndQuantity
  credit: number
  debit: number
  net: number
}
type PartVector = {
  name: string
  amount: number
  numerator_seconds: number
  denominator_seconds: number
  result: number
}
type SplitVector = { whole: number; weights: number[]; parts: number[] }

function lineOf(
  rule: LineRule,
  { unit_amount_decimal, quantity }: PriceAndQuantity,
  numeratorSeconds: number,
  denominatorSeconds: number,
) {
  const at = new Date('2027-02-14T12:00:00.000Z')
  return draftLine('usd', {
    rule,
    numeratorSeconds,
    denominatorSeconds,
    changeId: null,
    unitAmountDecimal: unit_amount_decimal,
    quantity,
    priceId: 'price_test_1' as Id<'price'>,
    subscriptionItemId: null,
    service: { startAt: at, endAt: at },
  })
}

test.each(vectors.prorations as ProrationVector[])('$name', (vector) => {
  const { numerator_seconds: part, denominator_seconds: whole } = vector
  const credit = lineOf('unused', vector.from, part, whole)
  const debit = lineOf('remaining', vector.to, part, whole)

  expect([credit.amount, debit.amount].map(Number)).toEqual([vector.credit, vector.debit])
  expect(Number(totalOf([credit, debit]))).toBe(vector.net)
  expect([credit.kind, debit.kind]).toEqual(['proration_credit', 'proration_debit'])
})

test.each(vectors.parts as PartVector[])('$name', ({ amount, result, ...seconds }) => {
  const part = mulDiv(BigInt(amount), BigInt(seconds.numerator_seconds), BigInt(seconds.denominator_seconds))
  expect(Number(part)).toBe(result)
})

test.each(vectors.splits as SplitVector[])(
  '$whole split by $weights is $parts',
  ({ whole, weights, parts }) => {
    const split = allocate(money(BigInt(whole), 'usd'), weights.map(BigInt))
    expect(split.map(({ amount }) => Number(amount))).toEqual(parts)
  },
)

test('the explanation of a line shows how its amount was computed', () => {
  const price = { unit_amount_decimal: '2999', quantity: 1 }
  expect(lineOf('unused', price, 1_166_400, 2_419_200).explanation.text).toBe(
    '29.99 x 1,166,400 s / 2,419,200 s, unused time',
  )
  expect(lineOf('full_period', price, 2_419_200, 2_419_200).explanation.text).toBe('29.99, full period')
})

test.each([
  ['0.4', 3, 1n],
  ['0.5', 1, 1n],
  ['0.499999999999', 1, 0n],
  ['-0.5', 1, -1n],
  ['999999999999.999999999999', 1_000_000, 1_000_000_000_000_000_000n],
])('%s times %i is rounded once, to %s', (unit, times, amount) => {
  expect(multiplyDecimal(unit, times)).toBe(amount)
})

const units = fc
  .tuple(fc.bigInt({ min: 0n, max: 10n ** 12n - 1n }), fc.integer({ min: 0, max: 999_999 }))
  .map(([whole, part]) => `${whole}.${String(part).padStart(6, '0')}`)
const quantities = fc.integer({ min: 0, max: 1_000_000 })
const parts = fc
  .tuple(fc.integer({ min: 1, max: 100_000_000 }), fc.integer({ min: 0, max: 100_000_000 }))
  .map(([whole, part]) => ({ whole, part: Math.min(whole, part) }))

test('the amount of a line can be recomputed from its explanation, and a credit equals the charge that it reverses', () => {
  fc.assert(
    fc.property(units, quantities, parts, (unit_amount_decimal, quantity, { whole, part }) => {
      const price = { unit_amount_decimal, quantity }
      const amounts = lineRules.map((rule) => {
        const line = lineOf(rule, price, part, whole)
        expect(amountOf(line.explanation)).toBe(line.amount)
        return [rule, line.amount] as const
      })
      const amountByRule = Object.fromEntries(amounts)
      // A change to the same price, or up and down in the same instant, nets to zero.
      expect((amountByRule.unused ?? 1n) + (amountByRule.remaining ?? 0n)).toBe(0n)
    }),
    pureRuns,
  )
})

test('the used and the unused part add up to the whole, to the last minor unit', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n, max: 10n ** 15n }), parts, (amount, { whole, part }) => {
      const unused = mulDiv(amount, BigInt(part), BigInt(whole))
      const used = amount - unused
      expect(used + unused).toBe(amount)
      expect(used >= 0n && unused >= 0n).toBe(true)
    }),
    pureRuns,
  )
})

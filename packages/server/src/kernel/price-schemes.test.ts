import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pureRuns } from '../../test/support/property-runs.ts'
import type { Id } from './id.ts'
import { draftLine, type LineRule, totalOf } from './invoice-lines.ts'
import { mulDiv, multiplyDecimal } from './money.ts'
import {
  amountFor,
  faultsOfPricing,
  type PriceFactors,
  perUnit,
  type Tier,
  usedPackages,
  usedTiers,
} from './price-schemes.ts'

const tier = (up_to: number | null, unit_amount_decimal: string, flat_amount = 0): Tier => ({
  up_to,
  unit_amount_decimal,
  flat_amount,
})
const exampleTiers = [tier(10, '500'), tier(50, '400'), tier(null, '300')]
const tiered = (scheme: 'graduated' | 'volume', tiers: readonly Tier[]): PriceFactors => ({
  unitAmountDecimal: null,
  pricing: { ...perUnit, scheme, tiers },
})
const packaged = (size: number, round: 'up' | 'down', unitAmountDecimal = '1000'): PriceFactors => ({
  unitAmountDecimal,
  pricing: { ...perUnit, scheme: 'package', package: { size, round } },
})

test.each([
  [0, 0n, 0n],
  [1, 500n, 500n],
  [10, 5000n, 5000n],
  [11, 5400n, 4400n],
  [50, 21_000n, 20_000n],
  [51, 21_300n, 15_300n],
  [60, 24_000n, 18_000n],
])(
  '%d units with tiers up to 10, up to 50 and above: graduated %d, volume %d',
  (quantity, graduated, volume) => {
    expect(amountFor(tiered('graduated', exampleTiers), quantity)).toBe(graduated)
    expect(amountFor(tiered('volume', exampleTiers), quantity)).toBe(volume)
  },
)

test('250 units in packages of 100 are billed as 3 packages, or as 2 if only full packages are charged', () => {
  expect(amountFor(packaged(100, 'up'), 250)).toBe(3000n)
  expect(amountFor(packaged(100, 'down'), 250)).toBe(2000n)
  expect(amountFor(packaged(100, 'up'), 200)).toBe(2000n)
  expect(amountFor(packaged(100, 'up'), 0)).toBe(0n)
})

test('the flat amount of the first tier is charged for any quantity, and those of later tiers if they are reached', () => {
  const tiers = [tier(5, '0', 1000), tier(null, '100', 250)]
  expect([0, 5, 6].map((quantity) => amountFor(tiered('graduated', tiers), quantity))).toEqual([
    1000n,
    1000n,
    1350n,
  ])
  expect([0, 5, 6].map((quantity) => amountFor(tiered('volume', tiers), quantity))).toEqual([
    1000n,
    1000n,
    850n,
  ])
})

test('fractions of tiers are rounded once, after they have been added up', () => {
  const tiers = [tier(1, '0.3'), tier(2, '0.3'), tier(null, '0.3')]
  expect(amountFor(tiered('graduated', tiers), 3)).toBe(1n)
})

const units = fc
  .tuple(fc.integer({ min: 0, max: 100_000 }), fc.integer({ min: 0, max: 999 }))
  .map(([whole, thousandths]) => `${whole}.${String(thousandths).padStart(3, '0')}`)
const tierLists = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 5000 }), { maxLength: 5 }),
    fc.array(fc.tuple(units, fc.integer({ min: 0, max: 10_000 })), { minLength: 6, maxLength: 6 }),
  )
  .map(([ends, prices]) =>
    [...ends.toSorted((a, b) => a - b), null].map((end, index) => {
      const [unit, flat] = prices[index] as [string, number]
      return tier(end, unit, flat)
    }),
  )
const quantities = fc.integer({ min: 0, max: 6000 })
const limits = fc
  .tuple(fc.nat(500_000), fc.nat(500_000))
  .map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const)
const prices: fc.Arbitrary<PriceFactors> = fc
  .tuple(
    fc.constantFrom('per_unit', 'graduated', 'volume', 'package'),
    units,
    tierLists,
    fc.record({ size: fc.integer({ min: 1, max: 500 }), round: fc.constantFrom('up', 'down') }),
    fc.option(limits),
  )
  .map(([scheme, unit, tiers, packageTerms, bounds]) => {
    const hasTiers = scheme === 'graduated' || scheme === 'volume'
    return {
      unitAmountDecimal: hasTiers ? null : unit,
      pricing: {
        scheme,
        tiers: hasTiers ? tiers : null,
        package: scheme === 'package' ? packageTerms : null,
        minimum_amount: bounds?.[0] ?? null,
        maximum_amount: bounds?.[1] ?? null,
      },
    }
  })

const thousandths = (decimal: string) => {
  const [whole = '', fraction = ''] = decimal.split('.')
  return BigInt(whole + fraction.padEnd(3, '0'))
}

test('graduated: each further unit adds the price of its tier, and the flat amount where a tier starts', () => {
  fc.assert(
    fc.property(tierLists, quantities, (tiers, quantity) => {
      const factors = tiered('graduated', tiers)
      // Unit by unit, without the arithmetic of tiers.
      let sum = BigInt(tiers[0]?.flat_amount ?? 0) * 1000n
      let index = 0
      for (let unit = 1; unit <= quantity; unit += 1) {
        if (unit > (tiers[index]?.up_to ?? Number.POSITIVE_INFINITY)) {
          index += 1
          sum += BigInt(tiers[index]?.flat_amount ?? 0) * 1000n
        }
        sum += thousandths(tiers[index]?.unit_amount_decimal ?? '0')
      }
      expect(amountFor(factors, quantity)).toBe(mulDiv(sum, 1n, 1000n))
    }),
    { numRuns: 300 },
  )
})

test('graduated: more units never cost less, and the units of the used tiers add up to the quantity', () => {
  fc.assert(
    fc.property(tierLists, quantities, quantities, (tiers, a, b) => {
      const factors = tiered('graduated', tiers)
      const [fewer, more] = [Math.min(a, b), Math.max(a, b)]
      expect(amountFor(factors, fewer) <= amountFor(factors, more)).toBe(true)
      const used = usedTiers({ ...perUnit, scheme: 'graduated', tiers }, more) ?? []
      expect(used.reduce((sum, { quantity }) => sum + quantity, 0)).toBe(more)
      expect(used.slice(1).every(({ quantity }) => quantity > 0)).toBe(true)
    }),
    pureRuns,
  )
})

test('volume: all units are charged at the price of the highest tier that the quantity reaches', () => {
  fc.assert(
    fc.property(tierLists, quantities, (tiers, quantity) => {
      const reached = tiers.find(({ up_to }) => up_to === null || quantity <= up_to) as Tier
      const expected = multiplyDecimal(reached.unit_amount_decimal, quantity) + BigInt(reached.flat_amount)
      expect(amountFor(tiered('volume', tiers), quantity)).toBe(expected)
    }),
    pureRuns,
  )
})

test('one tier without a flat amount costs as much as a price per unit', () => {
  fc.assert(
    fc.property(units, quantities, (unit, quantity) => {
      const expected = multiplyDecimal(unit, quantity)
      for (const scheme of ['graduated', 'volume'] as const)
        expect(amountFor(tiered(scheme, [tier(null, unit)]), quantity)).toBe(expected)
      expect(amountFor(packaged(1, 'down', unit), quantity)).toBe(expected)
      expect(amountFor({ unitAmountDecimal: unit }, quantity)).toBe(expected)
    }),
    pureRuns,
  )
})

test('packages: rounded up, they contain the quantity; rounded down, all of them are full; the two counts differ by at most one', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), quantities, (size, quantity) => {
      const count = (round: 'up' | 'down') =>
        usedPackages({ ...perUnit, scheme: 'package', package: { size, round } }, quantity) as number
      expect(count('up') * size).toBeGreaterThanOrEqual(quantity)
      expect(count('down') * size).toBeLessThanOrEqual(quantity)
      expect(count('up') - count('down')).toBe(quantity % size === 0 ? 0 : 1)
    }),
    pureRuns,
  )
})

const at = new Date('2027-02-14T12:00:00.000Z')
function lineOf(rule: LineRule, factors: PriceFactors, quantity: number, part: number, whole: number) {
  return draftLine('usd', {
    ...factors,
    rule,
    quantity,
    numeratorSeconds: part,
    denominatorSeconds: whole,
    changeId: null,
    priceId: 'price_test_1' as Id<'price'>,
    subscriptionItemId: null,
    service: { startAt: at, endAt: at },
  })
}
const parts = fc
  .tuple(fc.integer({ min: 1, max: 3_000_000 }), fc.integer({ min: 0, max: 3_000_000 }))
  .map(([whole, part]) => ({ whole, part: part % (whole + 1) }))

test('minimum and maximum are prorated by the same seconds as the price', () => {
  fc.assert(
    fc.property(prices, quantities, parts, (factors, quantity, { part, whole }) => {
      const { minimum_amount: minimum, maximum_amount: maximum } = factors.pricing ?? perUnit
      const { amount } = lineOf('remaining', factors, quantity, part, whole)
      const prorated = (limit: number) => mulDiv(BigInt(limit), BigInt(part), BigInt(whole))
      const unlimited = {
        ...factors,
        pricing: { ...(factors.pricing ?? perUnit), minimum_amount: null, maximum_amount: null },
      }
      const free = lineOf('remaining', unlimited, quantity, part, whole).amount
      const [low, high] = [
        minimum === null ? free : prorated(minimum),
        maximum === null ? free : prorated(maximum),
      ]
      const [, middle] = [low, free, high].toSorted((a, b) => (a < b ? -1 : 1))
      expect(amount).toBe(middle)
    }),
    pureRuns,
  )
})

test('changing from A to B and back at the same instant nets to zero, with any scheme', () => {
  fc.assert(
    fc.property(prices, prices, quantities, quantities, parts, (a, b, ofA, ofB, { part, whole }) => {
      const change = (from: [PriceFactors, number], to: [PriceFactors, number]) => [
        lineOf('unused', ...from, part, whole),
        lineOf('remaining', ...to, part, whole),
      ]
      const lines = [...change([a, ofA], [b, ofB]), ...change([b, ofB], [a, ofA])]
      expect(totalOf(lines)).toBe(0n)
    }),
    pureRuns,
  )
})

test('the explanation lists the tiers used, packages and limits', () => {
  const text = (factors: PriceFactors, quantity: number, part = 1, whole = 1) =>
    lineOf('full_period', factors, quantity, part, whole).explanation.text
  const graduated = tiered('graduated', exampleTiers)
  expect(text(graduated, 60)).toBe('10 x 5.00 + 40 x 4.00 + 10 x 3.00 = 240.00, full period')
  expect(text(graduated, 60, 1, 2)).toBe(
    '10 x 5.00 + 40 x 4.00 + 10 x 3.00 = 240.00 x 1 s / 2 s, full period',
  )
  expect(text(tiered('volume', exampleTiers), 60)).toBe('60 x 3.00 = 180.00, full period')
  expect(text(tiered('graduated', [tier(null, '0.4', 900)]), 1500)).toBe(
    '1,500 x 0.004 + 9.00 = 15.00, full period',
  )
  expect(text(packaged(100, 'up'), 250)).toBe('3 x 10.00 per 100 = 30.00, full period')
  const limited = {
    unitAmountDecimal: '100',
    pricing: { ...perUnit, minimum_amount: 500, maximum_amount: 2000 },
  }
  expect(text(limited, 2)).toBe('2 x 1.00 (at least 5.00, at most 20.00) = 5.00, full period')
  expect(text({ unitAmountDecimal: '2999' }, 1)).toBe('29.99, full period')
})

test.each([
  [{ scheme: 'graduated' }, '/tiers', 'required'],
  [{ scheme: 'per_unit', tiers: exampleTiers }, '/tiers', 'not_together'],
  [{ scheme: 'package' }, '/package', 'required'],
  [{ scheme: 'volume', tiers: [tier(10, '1')] }, '/tiers/0/up_to', 'bad_format'],
  [{ scheme: 'volume', tiers: [tier(null, '1'), tier(null, '2')] }, '/tiers/0/up_to', 'required'],
  [
    { scheme: 'volume', tiers: [tier(10, '1'), tier(10, '2'), tier(null, '3')] },
    '/tiers/1/up_to',
    'too_small',
  ],
  [{ scheme: 'volume', tiers: exampleTiers, hasUnitAmount: true }, '/unit_amount', 'not_together'],
  [{ minimum_amount: 2, maximum_amount: 1, hasUnitAmount: true }, '/maximum_amount', 'too_small'],
] as const)('%j is refused at %s', (input, pointer, code) => {
  expect(faultsOfPricing({ hasUnitAmount: false, ...input })).toMatchObject([{ pointer, code }])
})

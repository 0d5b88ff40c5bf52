import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Currency, currencies, exponentOf } from './currency.ts'
import {
  add,
  allocate,
  compare,
  formatDecimal,
  fromWire,
  isZero,
  money,
  mulDiv,
  negate,
  parseDecimal,
  prorate,
  subtract,
  toWire,
} from './money.ts'

const amounts = fc.bigInt({ min: -(10n ** 15n), max: 10n ** 15n })
const moneys = fc.record({ amount: amounts, currency: fc.constantFrom(...currencies) })
// Small numbers produce many ties; long ones would lose digits if converted to a number.
const counts = fc.oneof(fc.bigInt({ min: 0n, max: 12n }), fc.bigInt({ min: 0n, max: 10n ** 24n }))
const divisors = counts.map((count) => count + 1n)
/** `part` out of `total`, like the seconds of a period. */
const fractions = fc.tuple(counts, divisors).map(([part, total]) => ({ part: part % (total + 1n), total }))
const weightLists = fc
  .array(counts, { minLength: 1, maxLength: 20 })
  .filter((weights) => weights.some((weight) => weight > 0n))

const eur = (amount: bigint) => money(amount, 'eur')
const amountsOf = (parts: readonly { amount: bigint }[]) => parts.map((part) => part.amount)
const sum = (list: readonly bigint[]) => list.reduce((total, amount) => total + amount, 0n)
const size = (amount: bigint) => (amount < 0n ? -amount : amount)

describe('adding and comparing', () => {
  test('adding and then subtracting an amount restores the original', () => {
    fc.assert(
      fc.property(amounts, amounts, (a, b) => {
        expect(subtract(add(eur(a), eur(b)), eur(b))).toEqual(eur(a))
        expect(add(eur(a), negate(eur(b)))).toEqual(subtract(eur(a), eur(b)))
      }),
    )
  })

  test('amounts are compared numerically', () => {
    const compareWith = (b: bigint) => compare(eur(2n), eur(b))
    expect([3n, 2n, -3n].map(compareWith)).toEqual([-1, 0, 1])
  })

  test('only an amount of 0 is zero', () => {
    expect([0n, -0n, 1n, -1n].filter((amount) => isZero(eur(amount)))).toEqual([0n, 0n])
  })

  test.each(Object.entries({ add, subtract, compare }))(
    'two currencies cannot be combined: %s',
    (_name, operation) => {
      expect(() => operation(money(1n, 'eur'), money(1n, 'usd'))).toThrow('eur and usd cannot be combined')
    },
  )
})

describe('mulDiv', () => {
  test('it is the integer nearest to the fraction, and rounds half away from zero', () => {
    fc.assert(
      fc.property(amounts, counts, divisors, (amount, numerator, denominator) => {
        const expected = nearest(amount * numerator, denominator)
        expect(mulDiv(amount, numerator, denominator)).toBe(expected)
      }),
    )
  })

  // biome-ignore format: a table.
  test.each([
    [5n, 1n, 2n, 3n], [-5n, 1n, 2n, -3n], [5n, -1n, 2n, -3n], [1n, 1n, 2n, 1n], [1n, 1n, 3n, 0n],
    [2n, 1n, 3n, 1n], [-1n, 1n, 3n, 0n], [0n, 7n, 9n, 0n],
    [284_836_043n, 31_622_399n, 31_622_400n, 284_836_034n],
  ])('%d x %d / %d = %d', (amount, numerator, denominator, result) => {
    expect(mulDiv(amount, numerator, denominator)).toBe(result)
  })

  test('a credit is the negative of the debit', () => {
    fc.assert(
      fc.property(amounts, counts, divisors, (amount, numerator, denominator) => {
        const debit = mulDiv(amount, numerator, denominator)
        expect(mulDiv(-amount, numerator, denominator)).toBe(-debit)
        expect(mulDiv(amount, -numerator, denominator)).toBe(-debit)
      }),
    )
  })

  test('a larger amount never gives a smaller result', () => {
    fc.assert(
      fc.property(amounts, counts, counts, divisors, (amount, more, numerator, denominator) => {
        const smaller = mulDiv(amount, numerator, denominator)
        expect(mulDiv(amount + more, numerator, denominator)).toBeGreaterThanOrEqual(smaller)
      }),
    )
  })

  test.each([0n, -1n])('dividing by %d fails an assertion', (denominator) => {
    expect(() => mulDiv(1n, 1n, denominator)).toThrow('The denominator must be above zero')
  })
})

describe('prorate', () => {
  // biome-ignore format: a table.
  test.each([
    { name: 'rest of 29.99 usd', whole: money(2999n, 'usd'), part: 1_166_400n, total: 2_419_200n, share: 1446n },
    { name: 'rest of 49.99 usd', whole: money(4999n, 'usd'), part: 1_166_400n, total: 2_419_200n, share: 2410n },
    { name: 'rest of 2980 jpy',  whole: money(2980n, 'jpy'), part: 1_166_400n, total: 2_419_200n, share: 1437n },
    { name: 'rest of 9.990 kwd', whole: money(9990n, 'kwd'), part: 1_166_400n, total: 2_419_200n, share: 4817n },
    { name: 'three seats',       whole: money(4500n, 'usd'), part: 21n,        total: 31n,        share: 3048n },
    { name: 'five seats',        whole: money(7500n, 'usd'), part: 21n,        total: 31n,        share: 5081n },
    { name: 'a first stub',      whole: money(2999n, 'usd'), part: 22n,        total: 31n,        share: 2128n },
    { name: 'half of 9.99 usd',  whole: money(999n, 'usd'),  part: 1n,         total: 2n,         share: 500n  },
  ])('$name: $part of $total is $share', ({ whole, part, total, share }) => {
    expect(prorate(whole, part, total)).toEqual(money(share, whole.currency))
  })

  test('an empty part costs nothing, and the whole period costs the whole amount', () => {
    fc.assert(
      fc.property(amounts, divisors, (amount, total) => {
        expect([prorate(eur(amount), 0n, total), prorate(eur(amount), total, total)]).toEqual([
          eur(0n),
          eur(amount),
        ])
      }),
    )
  })

  test('a longer part never costs less', () => {
    fc.assert(
      fc.property(amounts, fractions, counts, (amount, { part, total }, less) => {
        const price = eur(size(amount))
        const shorter = prorate(price, part - (less % (part + 1n)), total)
        expect(compare(shorter, prorate(price, part, total))).toBeLessThanOrEqual(0)
      }),
    )
  })

  test('the two parts of a split period, each rounded, differ from the whole by at most one minor unit', () => {
    fc.assert(
      fc.property(amounts, fractions, (amount, { part, total }) => {
        const both = add(prorate(eur(amount), part, total), prorate(eur(amount), total - part, total))
        expect(size(amount - both.amount)).toBeLessThanOrEqual(1n)
      }),
    )
  })

  test('the two parts of a split period, divided with allocate, add up to the whole', () => {
    fc.assert(
      fc.property(amounts, fractions, (amount, { part, total }) => {
        const sides = amountsOf(allocate(eur(amount), [part, total - part]))
        expect(sum(sides)).toBe(amount)
        expect(sides[0]).toBe(prorate(eur(amount), part, total).amount)
      }),
    )
  })

  test.each([
    [-1n, 2n],
    [3n, 2n],
  ])('%d of %d fails an assertion', (part, total) => {
    expect(() => prorate(eur(100n), part, total)).toThrow('A part must be between zero and the total')
  })
})

describe('allocate', () => {
  // biome-ignore format: a table.
  test.each([
    { amount: 100n,    weights: [1n, 1n, 1n],    parts: [34n, 33n, 33n]       },
    { amount: -100n,   weights: [1n, 1n, 1n],    parts: [-34n, -33n, -33n]    },
    { amount: 999n,    weights: [1n, 1n],        parts: [500n, 499n]          },
    { amount: 1n,      weights: [1n, 1n, 1n],    parts: [1n, 0n, 0n]          },
    { amount: 10_000n, weights: [28n, 31n, 30n], parts: [3146n, 3483n, 3371n] },
    { amount: 5n,      weights: [0n, 1n, 0n],    parts: [0n, 5n, 0n]          },
    { amount: 0n,      weights: [1n, 2n],        parts: [0n, 0n]              },
  ])('$amount split by $weights is $parts', ({ amount, weights, parts }) => {
    expect(amountsOf(allocate(eur(amount), weights))).toEqual(parts)
  })

  test('the parts of an allocation add up to the whole', () => {
    fc.assert(
      fc.property(amounts, weightLists, (amount, weights) => {
        expect(sum(amountsOf(allocate(eur(amount), weights)))).toBe(amount)
      }),
    )
  })

  test('it distributes the remainder unit by unit, by largest remainder and then by position', () => {
    fc.assert(
      fc.property(amounts, weightLists, (amount, weights) => {
        expect(amountsOf(allocate(eur(amount), weights))).toEqual(allocateUnitByUnit(amount, weights))
      }),
    )
  })

  test('each part is less than one unit from its exact share, and a weight of zero gets nothing', () => {
    fc.assert(
      fc.property(amounts, weightLists, (amount, weights) => {
        const total = sum(weights)
        for (const [index, part] of amountsOf(allocate(eur(amount), weights)).entries()) {
          const weight = weights[index] ?? 0n
          expect(size(part * total - amount * weight)).toBeLessThan(total)
          if (weight === 0n) expect(part).toBe(0n)
        }
      }),
    )
  })

  test('a larger weight never gets less, and among equal weights the earlier one never gets less', () => {
    fc.assert(
      fc.property(amounts, weightLists, (amount, weights) => {
        const parts = allocate(eur(size(amount)), weights)
        const heaviestFirst = parts
          .map(({ amount }, index) => ({ amount, weight: weights[index] ?? 0n }))
          .toSorted((a, b) => compare(eur(b.weight), eur(a.weight)))
        const sortedAmounts = amountsOf(heaviestFirst)
        expect(sortedAmounts).toEqual(sortedAmounts.toSorted((a, b) => compare(eur(b), eur(a))))
      }),
    )
  })

  test('a negative amount is split like the positive one', () => {
    fc.assert(
      fc.property(amounts, weightLists, (amount, weights) => {
        const negated = allocate(eur(amount), weights).map(negate)
        expect(allocate(eur(-amount), weights)).toEqual(negated)
      }),
    )
  })

  test('remainders too large for a number are compared exactly', () => {
    // The weights differ by one in 10^24. Converted to numbers they would be equal, and the first would win.
    const long = 10n ** 24n
    expect(amountsOf(allocate(eur(1n), [long, long + 1n]))).toEqual([0n, 1n])
  })

  test.each<{ name: string; weights: bigint[] }>([
    { name: 'no weights', weights: [] },
    { name: 'only weights of zero', weights: [0n, 0n] },
    { name: 'a weight below zero', weights: [2n, -1n] },
  ])('$name: fails an assertion', ({ weights }) => {
    expect(() => allocate(eur(1n), weights)).toThrow('Weights must be zero or more, and not all zero')
  })
})

describe('JSON', () => {
  test('an amount survives a round trip', () => {
    fc.assert(
      fc.property(moneys, (whole) => {
        expect(fromWire(toWire(whole))).toEqual(whole)
      }),
    )
  })

  test('an amount that JSON cannot represent exactly is not sent', () => {
    const largest = BigInt(Number.MAX_SAFE_INTEGER)
    expect(toWire(eur(-largest))).toEqual({ amount: Number.MIN_SAFE_INTEGER, currency: 'eur' })
    expect(() => toWire(eur(largest + 1n))).toThrow('JSON cannot represent this amount')
    expect(() => toWire(eur(-largest - 1n))).toThrow('JSON cannot represent this amount')
  })

  test.each([0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])('%d is rejected as an amount', (amount) => {
    expect(() => fromWire({ amount, currency: 'eur' })).toThrow('An amount must be a safe integer')
  })
})

describe('decimal text', () => {
  // biome-ignore format: a table.
  test.each<[bigint, Currency, string]>([
    [1299n, 'eur', '12.99'], [-5n, 'eur', '-0.05'], [0n, 'eur', '0.00'], [12n, 'jpy', '12'],
    [-12n, 'jpy', '-12'], [1234n, 'bhd', '1.234'], [1n, 'clf', '0.0001'], [100_000n, 'huf', '1000.00'],
  ])('%d %s is written %s', (amount, currency, text) => {
    expect(formatDecimal(money(amount, currency))).toBe(text)
  })

  test.each(currencies)('%s survives a round trip with all its decimal places', (currency) => {
    fc.assert(
      fc.property(amounts, (amount) => {
        const text = formatDecimal(money(amount, currency))
        expect(parseDecimal(text, currency)).toEqual(money(amount, currency))
        expect(text.split('.')[1]?.length ?? 0).toBe(exponentOf(currency))
      }),
      { numRuns: 20 },
    )
  })

  // biome-ignore format: a table.
  test.each<[string, Currency, bigint]>([
    ['12', 'eur', 1200n], ['12.9', 'eur', 1290n], ['12.9900', 'eur', 1299n], ['12.00', 'jpy', 12n],
    ['-0.00', 'eur', 0n],
  ])('%s %s is exact and parses as %d', (text, currency, amount) => {
    expect(parseDecimal(text, currency)).toEqual(money(amount, currency))
  })

  // biome-ignore format: a table.
  test.each([
    '12.999', '', '.5', '5.', '+5', '--5', '-', '1,299.00', '12,99', '1e3', '0x10', ' 5', '5\n', '٥', 'NaN',
    '000000001299', '00.50', '9'.repeat(41),
  ])('%j is rejected', (text) => {
    expect(parseDecimal(text, 'eur')).toBeNull()
  })

  test('half a yen is rejected, not rounded', () => {
    expect(parseDecimal('12.5', 'jpy')).toBeNull()
  })
})

/** Reference implementation of rounding: the nearer of the two integers around a fraction. */
function nearest(numerator: bigint, denominator: bigint): bigint {
  const towardsZero = numerator / denominator
  const away = towardsZero + (numerator < 0n ? -1n : 1n)
  const distance = (integer: bigint) => size(integer * denominator - numerator)
  return distance(towardsZero) < distance(away) ? towardsZero : away
}

/** Reference implementation of splitting: distributes the remainder one unit at a time. */
function allocateUnitByUnit(amount: bigint, weights: readonly bigint[]): bigint[] {
  const total = sum(weights)
  const parts = weights.map((weight) => (size(amount) * weight) / total)
  const remainders = weights.map((weight) => (size(amount) * weight) % total)
  for (let left = size(amount) - sum(parts); left > 0n; left -= 1n) {
    const most = remainders.reduce((best, rest, index) => (rest > (remainders[best] ?? 0n) ? index : best), 0)
    parts[most] = (parts[most] ?? 0n) + 1n
    remainders[most] = -1n
  }
  return amount < 0n ? parts.map((part) => -part) : parts
}

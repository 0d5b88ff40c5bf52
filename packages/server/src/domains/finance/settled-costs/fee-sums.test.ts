// The fit of fees from sums, compared with a direct computation over the single lines.

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { amountBandOf, type FeeSums, feeOf, predictionScale, predictTotal } from './fee-sums.ts'

type Line = { readonly amount: number; readonly fee: number }

function sumsOf(lines: readonly Line[]): FeeSums {
  const sum = (of: (amount: bigint, fee: bigint) => bigint) =>
    lines.reduce((total, { amount, fee }) => total + of(BigInt(amount), BigInt(fee)), 0n)
  return {
    lines: BigInt(lines.length),
    amounts: sum((amount) => amount),
    fees: sum((_, fee) => fee),
    amountSquares: sum((amount) => amount * amount),
    products: sum((amount, fee) => amount * fee),
    feeSquares: sum((_, fee) => fee * fee),
  }
}

const sumOf = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

/** Ordinary least squares over the deviations from the averages, in two passes. */
function directFit(lines: readonly Line[]) {
  const count = lines.length
  const averageAmount = sumOf(lines.map(({ amount }) => amount)) / count
  const averageFee = sumOf(lines.map(({ fee }) => fee)) / count
  const spreadOfAmounts = sumOf(lines.map(({ amount }) => (amount - averageAmount) ** 2))
  const slope =
    sumOf(lines.map(({ amount, fee }) => (amount - averageAmount) * (fee - averageFee))) / spreadOfAmounts
  const fixed = averageFee - slope * averageAmount
  const residuals = lines.map(({ amount, fee }) => (fee - fixed - slope * amount) ** 2)
  return {
    slope,
    fixed,
    averageAmount,
    spreadOfAmounts,
    varianceOfFees: sumOf(residuals) / (count - 2),
  }
}

/** The cost of single payments, and the textbook variance of the sum of their predictions. */
function directPrediction(lines: readonly Line[], amounts: readonly number[]) {
  const { slope, fixed, averageAmount, spreadOfAmounts, varianceOfFees } = directFit(lines)
  const deviation = sumOf(amounts.map((amount) => amount - averageAmount))
  const ofFit = amounts.length ** 2 / lines.length + deviation ** 2 / spreadOfAmounts
  return {
    cost: sumOf(amounts.map((amount) => fixed + slope * amount)),
    variance: varianceOfFees * (amounts.length + ofFit),
  }
}

const paymentSums = (amounts: readonly number[]) => ({
  payments: BigInt(amounts.length),
  amounts: BigInt(sumOf(amounts)),
})
const costOf = (prediction: { readonly scaledCost: bigint } | null) =>
  Number(prediction?.scaledCost) / Number(predictionScale)

const amount = fc.integer({ min: 1_000, max: 9_999 })
const amountList = fc.array(amount, { minLength: 1, maxLength: 50 })
const lineList = fc
  .array(fc.record({ amount, fee: fc.integer({ min: -50, max: 500 }) }), { minLength: 200, maxLength: 300 })
  .filter((lines) => new Set(lines.map((line) => line.amount)).size > 1)

test('the prediction of a total and its variance equal a direct computation over the single lines', () => {
  fc.assert(
    fc.property(lineList, amountList, (lines, amounts) => {
      const prediction = predictTotal(sumsOf(lines), paymentSums(amounts))
      const direct = directPrediction(lines, amounts)

      expect(costOf(prediction)).toBeCloseTo(direct.cost, 4)
      expect((prediction?.variance ?? 0) / direct.variance).toBeCloseTo(1, 8)
    }),
    { numRuns: 200 },
  )
})

test('the fitted percentage and fixed part equal a direct computation', () => {
  fc.assert(
    fc.property(lineList, (lines) => {
      const fee = feeOf(sumsOf(lines))
      const { slope, fixed } = directFit(lines)

      expect(Math.abs((fee?.basisPoints ?? 0) - slope * 10_000)).toBeLessThan(0.0051)
      expect(Math.abs((fee?.fixedAmount ?? 0) - fixed)).toBeLessThan(0.0051)
    }),
  )
})

test('sums are additive, and do not depend on the order of lines', () => {
  fc.assert(
    fc.property(lineList, fc.nat(200), (lines, at) => {
      const [first, second] = [sumsOf(lines.slice(0, at)), sumsOf(lines.slice(at))]
      const names = Object.keys(first) as (keyof FeeSums)[]
      const added = Object.fromEntries(names.map((name) => [name, first[name] + second[name]]))

      expect(added).toEqual(sumsOf(lines.toReversed()))
    }),
  )
})

const exactLines = (count: number) =>
  Array.from({ length: count }, (_, index) => {
    const amount = 1_000 + 500 * (index % 17)
    return { amount, fee: (amount * 14) / 1_000 + 25 }
  })

test('fees without deviation are predicted exactly, and without an interval', () => {
  const sums = sumsOf(exactLines(200))

  expect(feeOf(sums)).toEqual({ basisPoints: 140, fixedAmount: 25 })
  // 1.4% of 100.00 and 0.50 for two payments.
  const expected = { scaledCost: 190n * predictionScale, variance: 0 }
  expect(predictTotal(sums, { payments: 2n, amounts: 10_000n })).toEqual(expected)
})

test('with fewer than 200 lines the cost is unknown', () => {
  const sums = sumsOf(exactLines(199))

  expect(feeOf(sums)).toBeNull()
  expect(predictTotal(sums, { payments: 2n, amounts: 10_000n })).toBeNull()
})

test('if all settled amounts are equal, the cost is known for that amount only', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 500 }), { minLength: 200, maxLength: 300 }),
      fc.integer({ min: 1, max: 100 }),
      fc.integer({ min: 1, max: 1_000 }),
      (fees, count, more) => {
        const sums = sumsOf(fees.map((fee) => ({ amount: 999, fee })))
        const payments = BigInt(count)
        const prediction = predictTotal(sums, { payments, amounts: payments * 999n })
        const average = sumOf(fees) / fees.length
        const varianceOfFees = sumOf(fees.map((fee) => (fee - average) ** 2)) / (fees.length - 1)

        expect(feeOf(sums)).toBeNull()
        expect(costOf(prediction)).toBeCloseTo(count * average, 4)
        expect(prediction?.variance).toBeCloseTo(varianceOfFees * (count + count ** 2 / fees.length), 4)
        expect(predictTotal(sums, { payments, amounts: payments * 999n + BigInt(more) })).toBeNull()
      },
    ),
  )
})

test('the variance is never negative, even for large amounts whose fees hardly deviate', () => {
  const large = fc.record({
    amount: fc.integer({ min: 10 ** 14, max: 10 ** 15 - 1 }),
    deviation: fc.constantFrom(0, 0, 0, 1),
  })
  fc.assert(
    fc.property(fc.array(large, { minLength: 200, maxLength: 250 }), (lines) => {
      const sums = sumsOf(
        lines.map(({ amount, deviation }) => ({ amount, fee: Math.round(amount / 100) + deviation })),
      )
      const { variance } = predictTotal(sums, { payments: 1n, amounts: sums.amounts / sums.lines }) ?? {}

      expect(variance === undefined || variance >= 0).toBe(true)
      expect(variance).not.toBeNaN()
    }),
  )
})

test('an amount band is the magnitude of the amount', () => {
  expect([1n, 9n, 10n, 999n, 1_000n, 9_999n, 10_000n].map(amountBandOf)).toEqual([0, 0, 1, 2, 3, 3, 4])
})

// Verifies which payments are covered, and what they cost at each of two accounts.

import { expect, test } from 'vitest'
import { type ComparedPayments, compareCosts } from './estimate.ts'
import type { FeeSums } from './fee-sums.ts'
import type { CardDetails, SettledCost, StatedDetails } from './settled-cost.ts'

const visa: CardDetails = { brand: 'visa', country: 'DE', funding: 'debit' }
const nothing: CardDetails = { brand: null, country: null, funding: null }

/** Half of the lines have an amount of 10.00, half of 20.00. Fees deviate by `noise` in both directions. */
function sums(basisPoints: number, fixed: number, { lines = 400, noise = 0 } = {}): FeeSums {
  const total = { lines: 0n, amounts: 0n, fees: 0n, amountSquares: 0n, products: 0n, feeSquares: 0n }
  for (let index = 0; index < lines; index += 1) {
    const amount = index % 2 === 0 ? 1_000n : 2_000n
    const sign = index % 4 < 2 ? 1n : -1n
    const fee = (amount * BigInt(basisPoints)) / 10_000n + BigInt(fixed) + sign * BigInt(noise)
    total.lines += 1n
    total.amounts += amount
    total.fees += fee
    total.amountSquares += amount * amount
    total.products += amount * fee
    total.feeSquares += fee * fee
  }
  return total
}

const cost = (account: string, fees: FeeSums, card = visa): SettledCost => ({
  account,
  currency: 'eur',
  card,
  amountBand: 3,
  sums: fees,
})
const statedDetailsOf = (account: string, isStated = true): StatedDetails => ({
  account,
  brand: isStated,
  country: isStated,
  funding: isStated,
})
const comparedPayments = (
  members: Partial<ComparedPayments> & { card?: CardDetails } = {},
): ComparedPayments => {
  const { card = visa, ...rest } = members
  const segment = { currency: 'eur', card, amountBand: 3 }
  return { from: 'north', to: 'south', currency: 'eur', segment, payments: 10, amount: 15_000n, ...rest }
}
const unknown = { covered: 0, actual: null, simulated: null, low: null, high: null }

const exact = {
  costs: [cost('north', sums(140, 25)), cost('south', sums(100, 10))],
  stated: [statedDetailsOf('north'), statedDetailsOf('south')],
}

test('payments are compared by currency, and fees without deviation have no interval', () => {
  const dollars = { currency: 'usd', segment: { currency: 'usd', card: visa, amountBand: 3 }, payments: 3 }

  expect(
    compareCosts(exact, [comparedPayments(), comparedPayments({ to: 'north' }), comparedPayments(dollars)]),
  ).toEqual([
    {
      currency: 'eur',
      payments: 20,
      covered: 20,
      actual: 2 * 460,
      simulated: 460 + 250,
      low: 710,
      high: 710,
    },
    { currency: 'usd', payments: 3, ...unknown },
  ])
})

test('a payment is covered only if its cost is known at both accounts', () => {
  const french = { ...visa, country: 'FR' }
  const cells = [
    comparedPayments(),
    comparedPayments({ to: null }),
    comparedPayments({ to: 'west' }),
    comparedPayments({ card: french }),
    comparedPayments({ card: { ...visa, country: null } }),
    comparedPayments({ segment: null }),
    comparedPayments({ segment: { currency: 'eur', card: visa, amountBand: 4 } }),
  ]

  const [compared] = compareCosts(exact, cells)

  expect(compared).toMatchObject({ payments: 70, covered: 10, actual: 460, simulated: 250 })
})

test('with fewer than 200 lines at one account the cost is unknown', () => {
  const few = {
    ...exact,
    costs: [cost('north', sums(140, 25)), cost('south', sums(100, 10, { lines: 199 }))],
  }
  const enough = {
    ...exact,
    costs: [cost('north', sums(140, 25)), cost('south', sums(100, 10, { lines: 200 }))],
  }

  expect(compareCosts(few, [comparedPayments()])).toEqual([{ currency: 'eur', payments: 10, ...unknown }])
  expect(compareCosts(enough, [comparedPayments()])).toMatchObject([{ covered: 10, simulated: 250 }])
})

test('details that the reports of an account never state are ignored there, and others must be known', () => {
  const blended = {
    costs: [cost('north', sums(140, 25)), cost('south', sums(100, 10), nothing)],
    stated: [statedDetailsOf('north'), statedDetailsOf('south', false)],
  }
  const unstated = comparedPayments({ from: 'south', card: nothing })

  expect(compareCosts(blended, [comparedPayments()])).toMatchObject([
    { covered: 10, actual: 460, simulated: 250 },
  ])
  expect(compareCosts(blended, [unstated])).toMatchObject([{ covered: 10, actual: 250 }])
  expect(compareCosts(blended, [{ ...unstated, to: 'north' }])).toMatchObject([unknown])
  // The reports of South state details of some cards. Lines without details are about other cards.
  const mixed = { ...blended, stated: [statedDetailsOf('north'), statedDetailsOf('south')] }
  expect(compareCosts(mixed, [comparedPayments(), unstated])).toMatchObject([{ payments: 20, ...unknown }])
})

test('the interval contains the estimate, and payments with the same fit share its uncertainty', () => {
  const noisy = {
    costs: [
      cost('north', sums(140, 25)),
      cost('west', sums(150, 25)),
      cost('south', sums(100, 10, { noise: 10 })),
    ],
    stated: [statedDetailsOf('north'), statedDetailsOf('west'), statedDetailsOf('south')],
  }

  const [together] = compareCosts(noisy, [comparedPayments({ payments: 2_000, amount: 3_000_000n })])
  const [apart] = compareCosts(noisy, [
    comparedPayments({ payments: 1_000, amount: 1_500_000n }),
    comparedPayments({ from: 'west', payments: 1_000, amount: 1_500_000n }),
  ])
  const [few] = compareCosts(noisy, [
    comparedPayments({ payments: 10, amount: 15_000n }),
    comparedPayments({ from: 'south', payments: 1_990, amount: 2_985_000n }),
  ])

  // The fees of 400 lines deviate by 10, so the standard error of the fit is 10 / sqrt(400) per payment.
  const marginOf = (payments: number) =>
    Math.round(1.96 * Math.sqrt(100 * (400 / 398) * (payments + payments ** 2 / 400)))
  expect(together).toMatchObject({ simulated: 50_000 })
  expect(together).toMatchObject({ low: 50_000 - marginOf(2_000), high: 50_000 + marginOf(2_000) })
  expect(apart).toEqual({ ...together, actual: apart?.actual })
  // Payments that stay at their account cost the same as now.
  expect(few).toMatchObject({ simulated: 50_000, low: 50_000 - marginOf(10), high: 50_000 + marginOf(10) })
})

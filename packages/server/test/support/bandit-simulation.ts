// Simulates accounts with fixed approval rates, and a bandit algorithm that learns them. Time is measured in
// payments. As in production, results arrive late, and the shares are recomputed periodically.

import { drawnIndexOf, drawSharesOf } from '../../src/domains/routing/payment-routes/adaptive/bandit.ts'
import { bucketCount } from '../../src/domains/routing/payment-routes/engine/split-draw.ts'

/** A seeded generator of numbers from 0 to 1. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

type SimulatedAccounts = {
  readonly seed: number
  /** The approval rate of each account, in the fixed order. */
  readonly rates: readonly number[]
  readonly payments: number
  /** The number of results that are needed before the shares replace the fixed order. */
  readonly needed: number
  readonly explorationPercent: number
}

type PaymentResult = { readonly arm: number; readonly approved: boolean }

/** Shares are recomputed every 100 payments, and the outcome of a payment is known 100 payments later. */
const recomputeInterval = 100
const windowSize = 20_000

/** The observed results of the accounts: the payments of a window, without the most recent ones. */
export class ObservedResults {
  readonly arms: { attempts: number; approved: number }[]
  readonly #results: PaymentResult[] = []
  #counted = 0
  #dropped = 0

  constructor(arms: number) {
    this.arms = Array.from({ length: arms }, () => ({ attempts: 0, approved: 0 }))
  }

  record(result: PaymentResult): void {
    this.#results.push(result)
  }

  /** Counts all results except the latest ones. Returns the number of results in the window. */
  count(latest: number): number {
    for (; this.#counted < this.#results.length - latest; this.#counted += 1) this.#add(this.#counted, 1)
    for (; this.#dropped < this.#counted - windowSize; this.#dropped += 1) this.#add(this.#dropped, -1)
    return this.#counted - this.#dropped
  }

  #add(index: number, change: 1 | -1): void {
    const { arm, approved } = this.#results[index] as PaymentResult
    const total = this.arms[arm] as { attempts: number; approved: number }
    total.attempts += change
    if (approved) total.approved += change
  }
}

/**
 * Simulates payments one after the other, and distributes them by the shares. The shares are null while the
 * fixed order applies.
 */
export function simulatePayments(
  accounts: SimulatedAccounts,
  onPayment: (shares: readonly number[] | null, result: PaymentResult) => void,
): void {
  const { rates, payments, needed, explorationPercent } = accounts
  const next = seededRandom(accounts.seed)
  const observed = new ObservedResults(rates.length)
  let shares: readonly number[] | null = null
  for (let payment = 0; payment < payments; payment += 1) {
    if (payment % recomputeInterval === 0)
      shares =
        observed.count(recomputeInterval) >= needed ? drawSharesOf(observed.arms, explorationPercent) : null
    const arm = shares === null ? 0 : drawnIndexOf(shares, Math.floor(next() * bucketCount))
    const result = { arm, approved: next() < (rates[arm] as number) }
    onPayment(shares, result)
    observed.record(result)
  }
}

/** The gain in approval rate over the fixed order, computed from the true rates, without sampling noise. */
export function simulatedGain(accounts: SimulatedAccounts): number {
  let gain = 0
  simulatePayments(accounts, (shares) => {
    if (shares !== null) gain += expectedGain(shares, accounts.rates)
  })
  return gain / accounts.payments
}

/** The expected gain of one payment with these shares. */
export function expectedGain(shares: readonly number[], rates: readonly number[]): number {
  const expectedRate = shares.reduce(
    (sum, share, index) => sum + (share / bucketCount) * (rates[index] as number),
    0,
  )
  return expectedRate - (rates[0] as number)
}

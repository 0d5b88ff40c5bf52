/**
 * Estimates the uplift of an adaptive order over the fixed one from recorded payments. Only payments with a random draw
 * provide information about a different order: each is weighted by the inverse of its probability. The estimate is
 * doubly robust: it starts from the observed rate of each account and corrects it by the outcome of the payment. It
 * uses only earlier data, so it is unbiased even if the orders change over time. No side effects.
 */

import { bucketCount } from '../engine/split-draw.ts'
import type { Adaptive } from '../payment-route.ts'
import { neededAttempts } from './adaptive.ts'
import { type Arm, drawSharesOf } from './bandit.ts'
import { AttemptWindows } from './windows.ts'

/** A first attempt that has ended. */
export type RecordedAttempt = {
  readonly atMs: number
  /** Rule and segment: payments of the same group are comparable. */
  readonly group: string
  readonly settings: Adaptive
  /** The customer or card, if one draw decides for many payments. */
  readonly cluster: string | null
  /** The accounts that could have been tried, in the fixed order. */
  readonly accounts: readonly string[]
  readonly accountId: string
  /** The probability of each account; null: there was no draw. */
  readonly probabilities: readonly number[] | null
  /** Whether the adaptive order made the draw. If so, its actual probabilities are evaluated. */
  readonly isAdaptiveDraw: boolean
  readonly approved: boolean
  /** Whether the outcome is attributable to the account, see outcomes.ts. */
  readonly isAttributable: boolean
}

export type EvaluationResult = {
  /** How many payments were weighted. */
  readonly payments: number
  /** Approval rates of first attempts. */
  readonly fixed: number
  readonly adaptive: number
  readonly uplift: number
  /** The 95% confidence interval. */
  readonly low: number
  readonly high: number
  /** Payments that provide no information: not drawn, or in a segment with too few attempts. */
  readonly withoutDraw: number
  readonly stillLearning: number
}

export type EvaluationRefusal = { readonly refused: string }

/** For a 95% confidence interval. */
const normalQuantile = 1.96
/**
 * With fewer payments the interval would be too narrow, because adaptive draws are not independent. With this
 * many it contains the true value in 95% of simulations, see the test.
 */
const minPayments = 5_000
/** The minimum number of draws for the first account, and for all others together. */
const minDrawsPerSide = 100
/** An attempt is counted after this delay, in a replay as in production. */
const outcomeDelayMs = 10 * 60_000

type Term = { readonly uplift: number; readonly fixed: number }

export class Evaluation {
  readonly #needed: number
  readonly #windows = new AttemptWindows(outcomeDelayMs)
  /** All first attempts by group and account. */
  readonly #observed = new Map<string, { attempts: number; approved: number }>()
  readonly #clusters = new Map<string, { sum: number; count: number }>()
  #payments = 0
  #uplift = 0
  #fixed = 0
  /** Sums over payments that do not share their draw with other payments. */
  #squares = 0
  #singles = 0
  #singleSum = 0
  #firstAccountDraws = 0
  #withoutDraw = 0
  #stillLearning = 0

  constructor(needed = neededAttempts) {
    this.#needed = needed
  }

  /** Attempts must be added in chronological order. */
  add(recorded: RecordedAttempt): void {
    const { group, settings, atMs } = recorded
    this.#windows.advanceTo(group, atMs, settings.window_days)
    if (recorded.probabilities === null) this.#withoutDraw += 1
    else this.#addWeighted(recorded, recorded.probabilities)
    this.#learn(recorded)
  }

  #addWeighted(recorded: RecordedAttempt, probabilities: readonly number[]): void {
    const adaptive = recorded.isAdaptiveDraw ? probabilities : this.#replayedProbabilities(recorded)
    if (adaptive === null) {
      this.#stillLearning += 1
      return
    }
    const drawnIndex = recorded.accounts.indexOf(recorded.accountId)
    const expected = recorded.accounts.map((id) => this.#meanOf(recorded.group, id))
    const correction =
      (Number(recorded.approved) - (expected[drawnIndex] as number)) / (probabilities[drawnIndex] as number)
    const valueOfOrder = (shares: readonly number[]) =>
      shares.reduce((sum, share, index) => sum + share * (expected[index] as number), 0) +
      (shares[drawnIndex] as number) * correction
    const fixed = valueOfOrder(recorded.accounts.map((_, index) => Number(index === 0)))
    if (drawnIndex === 0) this.#firstAccountDraws += 1
    this.#count({ uplift: valueOfOrder(adaptive) - fixed, fixed }, recorded.cluster)
  }

  #count({ uplift, fixed }: Term, cluster: string | null): void {
    this.#payments += 1
    this.#uplift += uplift
    this.#fixed += fixed
    if (cluster === null) {
      this.#singles += 1
      this.#singleSum += uplift
      this.#squares += uplift ** 2
      return
    }
    const previous = this.#clusters.get(cluster) ?? { sum: 0, count: 0 }
    this.#clusters.set(cluster, { sum: previous.sum + uplift, count: previous.count + 1 })
  }

  /**
   * The probabilities the adaptive order would have used with the data known at the time; null: it would not
   * have decided.
   */
  #replayedProbabilities({ group, accounts, settings }: RecordedAttempt): readonly number[] | null {
    const arms = accounts.map((id) => this.#windows.armOf(group, id))
    if (this.#windows.attemptsIn(group) < this.#needed) return null
    return drawSharesOf(arms, settings.exploration_percent).map((share) => share / bucketCount)
  }

  #learn({ group, accountId, approved, isAttributable, atMs }: RecordedAttempt): void {
    const key = `${group} ${accountId}`
    const previous = this.#observed.get(key) ?? { attempts: 0, approved: 0 }
    this.#observed.set(key, {
      attempts: previous.attempts + 1,
      approved: previous.approved + Number(approved),
    })
    if (isAttributable) this.#windows.add({ group, id: accountId, approved, atMs })
  }

  #meanOf(group: string, id: string): number {
    const { attempts, approved }: Arm = this.#observed.get(`${group} ${id}`) ?? { attempts: 0, approved: 0 }
    return (approved + 1) / (attempts + 2)
  }

  result(): EvaluationResult | EvaluationRefusal {
    const refused = this.#missingData()
    if (refused !== null) return { refused }
    const uplift = this.#uplift / this.#payments
    const fixed = this.#fixed / this.#payments
    const margin = normalQuantile * this.#standardError(uplift)
    return {
      payments: this.#payments,
      fixed,
      adaptive: fixed + uplift,
      uplift,
      low: uplift - margin,
      high: uplift + margin,
      withoutDraw: this.#withoutDraw,
      stillLearning: this.#stillLearning,
    }
  }

  /** Payments that share a draw count as one observation. */
  #standardError(meanUplift: number): number {
    let squares = this.#squares - 2 * meanUplift * this.#singleSum + meanUplift ** 2 * this.#singles
    for (const { sum, count } of this.#clusters.values()) squares += (sum - meanUplift * count) ** 2
    return Math.sqrt(Math.max(squares, 0)) / this.#payments
  }

  #missingData(): string | null {
    const total = this.#payments + this.#withoutDraw + this.#stillLearning
    if (total === 0) return 'No completed payment of this route was found in that period.'
    if (this.#payments === 0 && this.#stillLearning === 0)
      return 'Every payment of this route followed the fixed order. No payment was assigned at random, so another order cannot be evaluated. Publish a split or an adaptive priority for a while.'
    if (this.#payments === 0)
      return `No segment had ${this.#needed.toLocaleString('en')} attempts in its window, so an adaptive order would always have been the fixed order.`
    if (this.#payments < minPayments)
      return `Only ${this.#payments.toLocaleString('en')} payments were assigned at random while the adaptive order was active; at least ${minPayments.toLocaleString('en')} are needed for a reliable interval.`
    const smallerSide = Math.min(this.#firstAccountDraws, this.#payments - this.#firstAccountDraws)
    if (smallerSide >= minDrawsPerSide) return null
    return `Of the payments assigned at random, ${this.#firstAccountDraws} went to the first account of the order and ${this.#payments - this.#firstAccountDraws} to others. Each side needs at least ${minDrawsPerSide}.`
  }
}

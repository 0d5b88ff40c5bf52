/**
 * What an adaptive order would have brought against the fixed one, from what is recorded. Only payments that went
 * where a lot sent them say anything of another order: each is weighed by how likely its lot was. The estimate is
 * doubly robust: it starts from what was seen of each account before, and corrects that by what this payment came
 * to. Nothing in it looks ahead, so it is right on average however the orders change on the way. Pure.
 */
import { type Adaptive, neededAttempts } from './adaptive.ts'
import { type Arm, lotsOf } from './bandit.ts'
import { drawsOf } from './draw.ts'
import { Windows } from './windows.ts'

/** A first attempt that is over. */
export type Recorded = {
  readonly atMs: number
  /** The rule and the segment: payments of the same are alike. */
  readonly group: string
  readonly settings: Adaptive
  /** Whose lot it was, where one lot decides for many payments. */
  readonly cluster: string | null
  /** Those that could have been asked, in the fixed order. */
  readonly accounts: readonly string[]
  readonly asked: string
  /** How likely each was to be asked; null: no lot was drawn. */
  readonly probabilities: readonly number[] | null
  /** Whether it was the adaptive order that drew: then what is evaluated is what was done. */
  readonly adapted: boolean
  readonly approved: boolean
  /** Whether it says something of the account, see outcomes.ts. */
  readonly counts: boolean
}

export type Evaluated = {
  /** How many payments were weighed. */
  readonly payments: number
  /** Shares of first attempts that are approved. */
  readonly fixed: number
  readonly adaptive: number
  readonly uplift: number
  /** Between these it lies nineteen times out of twenty. */
  readonly low: number
  readonly high: number
  /** Payments that say nothing of it. */
  readonly withoutLot: number
  readonly stillLearning: number
}

export type Refused = { readonly refused: string }

const z = 1.96
/**
 * With fewer the interval would be too narrow: lots that follow what they find are not as regular as a coin. From
 * here on it keeps its promise in worlds where the truth is known, see the test.
 */
const leastPayments = 5_000
/** With fewer on one of the sides there is nothing to compare. */
const leastOnASide = 100
/** In a replay as in life: after so long an attempt is counted. */
const settledMs = 10 * 60_000

type Term = { readonly uplift: number; readonly fixed: number }

export class Evaluation {
  readonly #needed: number
  readonly #windows = new Windows(settledMs)
  readonly #seen = new Map<string, { attempts: number; approved: number }>()
  readonly #clusters = new Map<string, { sum: number; count: number }>()
  #payments = 0
  #uplift = 0
  #fixed = 0
  /** Of payments with a lot of their own. */
  #squares = 0
  #singles = 0
  #singleSum = 0
  #atFirst = 0
  #withoutLot = 0
  #stillLearning = 0

  constructor(needed = neededAttempts) {
    this.#needed = needed
  }

  /** In the order in which they were made. */
  add(recorded: Recorded): void {
    const { group, settings, atMs } = recorded
    this.#windows.moveTo(group, atMs, settings.window_days)
    if (recorded.probabilities === null) this.#withoutLot += 1
    else this.#weigh(recorded, recorded.probabilities)
    this.#learn(recorded)
  }

  #weigh(recorded: Recorded, probabilities: readonly number[]): void {
    const adaptive = recorded.adapted ? probabilities : this.#replayed(recorded)
    if (adaptive === null) {
      this.#stillLearning += 1
      return
    }
    const asked = recorded.accounts.indexOf(recorded.asked)
    const expected = recorded.accounts.map((id) => this.#meanOf(recorded.group, id))
    const surprise =
      (Number(recorded.approved) - (expected[asked] as number)) / (probabilities[asked] as number)
    const valueOfOrder = (shares: readonly number[]) =>
      shares.reduce((sum, share, at) => sum + share * (expected[at] as number), 0) +
      (shares[asked] as number) * surprise
    const fixed = valueOfOrder(recorded.accounts.map((_, at) => Number(at === 0)))
    if (asked === 0) this.#atFirst += 1
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
    const known = this.#clusters.get(cluster) ?? { sum: 0, count: 0 }
    this.#clusters.set(cluster, { sum: known.sum + uplift, count: known.count + 1 })
  }

  /** What the adaptive order would have done with it, by what was known then; null: it would not have decided. */
  #replayed({ group, accounts, settings }: Recorded): readonly number[] | null {
    const arms = accounts.map((id) => this.#windows.armOf(group, id))
    if (this.#windows.attemptsIn(group) < this.#needed) return null
    return lotsOf(arms, settings.exploration_percent).map((lots) => lots / drawsOf)
  }

  #learn({ group, asked, approved, counts, atMs }: Recorded): void {
    const key = `${group} ${asked}`
    const known = this.#seen.get(key) ?? { attempts: 0, approved: 0 }
    this.#seen.set(key, { attempts: known.attempts + 1, approved: known.approved + Number(approved) })
    if (counts) this.#windows.add({ group, id: asked, approved, atMs })
  }

  #meanOf(group: string, id: string): number {
    const { attempts, approved }: Arm = this.#seen.get(`${group} ${id}`) ?? { attempts: 0, approved: 0 }
    return (approved + 1) / (attempts + 2)
  }

  result(): Evaluated | Refused {
    const refused = this.#refusal()
    if (refused !== null) return { refused }
    const uplift = this.#uplift / this.#payments
    const fixed = this.#fixed / this.#payments
    const margin = z * this.#errorAround(uplift)
    return {
      ...{ payments: this.#payments, fixed, adaptive: fixed + uplift, uplift },
      ...{ low: uplift - margin, high: uplift + margin },
      ...{ withoutLot: this.#withoutLot, stillLearning: this.#stillLearning },
    }
  }

  /** Payments that share a lot are one observation together. */
  #errorAround(mean: number): number {
    let squares = this.#squares - 2 * mean * this.#singleSum + mean ** 2 * this.#singles
    for (const { sum, count } of this.#clusters.values()) squares += (sum - mean * count) ** 2
    return Math.sqrt(Math.max(squares, 0)) / this.#payments
  }

  #refusal(): string | null {
    const all = this.#payments + this.#withoutLot + this.#stillLearning
    if (all === 0) return 'No payment of this route that is over was found in that time.'
    if (this.#payments === 0 && this.#stillLearning === 0)
      return 'Every payment of this route went where its order sent it. Nothing was drawn by lot, so nothing can be said of another order. Publish a split or an adaptive priority for a while.'
    if (this.#payments === 0)
      return `No segment had ${this.#needed.toLocaleString('en')} attempts in its window, so an adaptive order would have been the fixed one all the time.`
    if (this.#payments < leastPayments)
      return `Only ${this.#payments.toLocaleString('en')} payments were drawn by lot while an adaptive order decides; with fewer than ${leastPayments.toLocaleString('en')} an interval would promise too much.`
    const fewest = Math.min(this.#atFirst, this.#payments - this.#atFirst)
    if (fewest >= leastOnASide) return null
    return `By lot ${this.#atFirst} payments went to the first account of the order and ${this.#payments - this.#atFirst} to others. With fewer than ${leastOnASide} on a side nothing can be said.`
  }
}
